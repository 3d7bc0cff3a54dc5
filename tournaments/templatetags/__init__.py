"""Formatting for templates; nothing here reads or decides."""
