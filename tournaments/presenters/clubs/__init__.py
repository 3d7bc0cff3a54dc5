"""Clubs in words: what a search finds in them."""
