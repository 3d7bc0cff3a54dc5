"""Seating plans of evenings and rounds, and their constraints."""
