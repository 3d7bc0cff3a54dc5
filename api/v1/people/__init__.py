"""The account that asks, and its notifications."""
