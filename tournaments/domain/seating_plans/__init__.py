"""Seating plans for numbered players; which table sizes a club prefers."""
