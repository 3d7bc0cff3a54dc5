"""Importing sheets, results and lists of players."""
