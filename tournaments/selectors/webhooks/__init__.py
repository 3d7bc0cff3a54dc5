"""Reading webhooks and their deliveries."""
