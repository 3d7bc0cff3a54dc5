"""Play-offs: which ties matter, who plays them over how many hands, and what it decides."""
