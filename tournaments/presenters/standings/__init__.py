"""Publications as they are printed and drawn."""
