"""What refusals of the app say: one module for each subject, joined by `tournaments.messages`."""
