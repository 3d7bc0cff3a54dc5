"""Which mistake on the paper explains a refused hand."""
