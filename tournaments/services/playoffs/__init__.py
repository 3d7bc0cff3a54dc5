"""Tie-break play-offs."""
