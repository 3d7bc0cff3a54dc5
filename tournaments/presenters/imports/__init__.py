"""Imports in words."""
