"""Clubs and their players."""
