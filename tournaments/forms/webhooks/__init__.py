"""Forms of webhooks."""
