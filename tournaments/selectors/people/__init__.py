"""A person's records over all events of a club: merges, possible duplicates, exported data."""
