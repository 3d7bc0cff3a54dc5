"""What refusals say: one room for each subject; `scoring.errors` puts them in order."""
