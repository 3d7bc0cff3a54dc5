"""Forms of pages: the shape of what is typed. What may stand is decided by the services."""
