"""Deals of a duplicate event: made from a seed or a file, opened once they are played."""
