"""Boards of a duplicate event: deals, results, hand records."""
