"""Standings: contributions of games, totals, ranking, history."""
