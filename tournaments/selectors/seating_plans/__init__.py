"""Seating plans: players present, earlier rounds, the plans of an evening, constraints."""
