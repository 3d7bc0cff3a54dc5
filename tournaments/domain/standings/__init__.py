"""Published documents and the criteria that order them."""
