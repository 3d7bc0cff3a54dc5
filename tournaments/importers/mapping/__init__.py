"""Columns of foreign files."""
