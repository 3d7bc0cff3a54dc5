"""Challenge and rating ladders."""
