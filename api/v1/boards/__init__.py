"""Boards of a duplicate event over REST."""
