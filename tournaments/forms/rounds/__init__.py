"""Rounds, seating, tables, photos and sheet verification."""
