"""From finished games to an ordered table: aggregate (what adds up), rank, explain."""
