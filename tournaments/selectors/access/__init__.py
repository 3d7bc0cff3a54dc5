"""Permissions, tokens and table links."""
