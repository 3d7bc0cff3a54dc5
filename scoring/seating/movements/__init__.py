"""Movements: how the rounds of a plan follow each other."""
