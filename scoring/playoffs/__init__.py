"""Play-offs: which ties are played off, by whom, over how many hands, and the result."""
