"""The sentences of refusals, a module for each subject; `scoring.errors` orders them."""
