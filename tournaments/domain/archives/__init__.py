"""Archives of clubs: their format, the columns that are in them, and the checks of a file."""
