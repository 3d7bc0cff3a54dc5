"""Drafts of rounds that were drawn by results or places."""
