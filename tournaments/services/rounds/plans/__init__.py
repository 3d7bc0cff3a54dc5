"""Rounds made from a chosen seating plan."""
