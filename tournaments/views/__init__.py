"""Pages: thin views that let an actor in, take a view object from a selector, and print it."""
