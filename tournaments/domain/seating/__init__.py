"""Seats: preferences of a club, runs of the planner, exchanges."""
