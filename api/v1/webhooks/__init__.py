"""Webhooks of a club."""
