"""Status: what is wrong with this installation, in words, with what to do."""
