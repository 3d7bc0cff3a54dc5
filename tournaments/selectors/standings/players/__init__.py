"""Standings of one player: results, records and charts over events."""
