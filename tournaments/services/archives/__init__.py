"""Archives of clubs: the order of their tables, and the rows of an import."""
