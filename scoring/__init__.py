"""The scorer: a pure library over cards and rules. Standard library only."""
