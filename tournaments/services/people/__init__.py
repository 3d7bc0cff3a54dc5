"""What becomes of a person's records: merging two of them, erasing one, giving them out."""
