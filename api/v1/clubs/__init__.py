"""Clubs, their members and players, invitations, mail, the audit log, search."""
