"""Stages and the cuts between them."""
