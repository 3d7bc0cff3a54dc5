"""Hands: entry, preview, correction; players by seat; disputes."""
