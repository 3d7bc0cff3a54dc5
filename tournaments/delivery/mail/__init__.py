"""Mails: composing them, and sending them or writing them to files."""
