"""One file a command; each calls services and prints what they say."""
