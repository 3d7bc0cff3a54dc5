"""Boards of a duplicate event."""
