"""What the API does around its views: requests read, faults answered, lists as CSV."""
