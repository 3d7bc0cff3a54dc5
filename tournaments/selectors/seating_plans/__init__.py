"""Seating plans: who is here, what was played before, the plans of an evening, constraints."""
