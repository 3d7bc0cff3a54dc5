"""The steps by which one hand is scored."""
