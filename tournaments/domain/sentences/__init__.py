"""The sentence of each error code."""
