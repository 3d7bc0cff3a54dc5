"""Messages of webhooks: what each says, and sending one over the network."""
