"""What goes out of an event as a file: the same columns that `importers` read."""
