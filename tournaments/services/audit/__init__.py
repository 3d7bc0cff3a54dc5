"""The audit trail, the change log and repeated requests."""
