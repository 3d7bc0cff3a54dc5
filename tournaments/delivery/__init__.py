"""Outgoing messages: mail, webhooks, and the worker threads that send them."""
