"""Everything that changes state; the only writers. Each takes an actor."""
