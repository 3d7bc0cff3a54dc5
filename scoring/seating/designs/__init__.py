"""Constructions of plans from finite fields and starters, and their labels."""
