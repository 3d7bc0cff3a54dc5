"""Read notifications, and people's choices of them."""
