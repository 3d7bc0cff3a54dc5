"""Locks, transactions and hand-written SQL."""
