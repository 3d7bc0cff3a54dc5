"""The account that asks."""
