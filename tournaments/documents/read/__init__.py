"""Readers of files that people keep: tables of text, spreadsheets, archives."""
