"""One file for each command; each calls services and prints their results."""
