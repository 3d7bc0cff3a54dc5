"""What refusals say: one module for each subject; `scoring.errors` puts them in order."""
