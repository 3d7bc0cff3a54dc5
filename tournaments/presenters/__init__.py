"""Reads that need the scorer, and words for pages and REST; writes nothing."""
