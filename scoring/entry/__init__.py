"""What was entered for a hand, and which boxes a sheet has."""
