"""Everything that reads. Each begins at a club or an actor."""
