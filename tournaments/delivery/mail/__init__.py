"""Mails: composed, then sent or written to files."""
