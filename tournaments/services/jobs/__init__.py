"""Background jobs: the queue, deadlines, heartbeats."""
