"""Other players at a table whose hands are entered, and tables that are drawn again."""
