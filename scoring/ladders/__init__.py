"""Ladders: positions (challenges, tables, absence) and ratings, each a replay of past events."""
