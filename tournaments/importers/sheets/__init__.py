"""Rows of a file as sheets of hands."""
