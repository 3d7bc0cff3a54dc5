"""Importing a club from its archive: the file is checked, read, and stored piece by piece."""
