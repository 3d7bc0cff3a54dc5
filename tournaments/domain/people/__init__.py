"""Notifications of accounts, and which names the public reads."""
