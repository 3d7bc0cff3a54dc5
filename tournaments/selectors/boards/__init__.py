"""Boards of a duplicate event: which may be shown, and what the field made of them."""
