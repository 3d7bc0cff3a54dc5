"""Tokens of accounts and clubs."""
