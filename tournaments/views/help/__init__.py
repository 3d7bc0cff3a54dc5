"""Pages of the documentation, and the reference of the look for developers."""
