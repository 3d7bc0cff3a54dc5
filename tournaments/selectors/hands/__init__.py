"""Entering, correcting and deleting hands; disputes; double entry."""
