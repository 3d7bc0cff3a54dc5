"""What a correction would change, before it is saved."""
