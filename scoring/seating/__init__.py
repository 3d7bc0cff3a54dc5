"""Seating of a meeting: table sizes, sit-outs, plans with few repeats, and their checker."""
