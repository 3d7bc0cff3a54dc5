"""Webhooks: recorded with what they report, sent by a worker afterwards, managed by owners."""
