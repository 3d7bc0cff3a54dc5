"""Backups of the whole database, and restoring them."""
