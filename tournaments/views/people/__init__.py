"""Accounts of people: what waits for them, and how they sign in."""
