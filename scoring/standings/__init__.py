"""From finished games to an ordered table: aggregate (what is additive), rank, explain."""
