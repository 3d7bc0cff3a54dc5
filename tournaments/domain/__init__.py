"""Definitions and pure code of the app; writes nothing and reads no database."""
