"""Evenings: attendance, seating plans, rounds, tables, print."""
