"""Duplicate: the same deals at every table, compared across the field."""
