"""Events created, copied, archived and deleted."""
