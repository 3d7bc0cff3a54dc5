"""Messages of webhooks: what each says, and sending it."""
