"""Pages: thin views that check the actor, get a view object from a selector, and render it."""
