"""What follows from publications: tables by round, head-to-head, records."""
