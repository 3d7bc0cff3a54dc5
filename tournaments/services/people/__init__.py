"""Merge, erase and export a person's records."""
