"""Accounts of people."""
