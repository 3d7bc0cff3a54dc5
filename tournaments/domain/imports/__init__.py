"""Files that are imported: rows, reports, and names that are nearly the same."""
