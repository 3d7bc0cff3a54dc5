"""Pages and answers for devices without a signal."""
