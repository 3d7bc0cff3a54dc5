"""Exporting a club as one archive: rows for an import, and files for people."""
