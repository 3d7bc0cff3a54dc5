"""Scoring a hand and a game; corrections that can be saved."""
