"""Rows that an import makes, finds or, when it is undone, deletes."""
