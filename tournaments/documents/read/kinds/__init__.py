"""The kinds of files: each knows its heads, and says why a table is of its kind."""
