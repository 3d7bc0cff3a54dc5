"""Reading what is sent to people, and what they chose."""
