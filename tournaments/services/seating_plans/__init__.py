"""Seating plans: making, computing and choosing them, and the constraints that they keep."""
