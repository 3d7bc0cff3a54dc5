"""Version 1: the shapes and the thin views of one resource a module."""
