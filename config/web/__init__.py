"""The web process: connections, requests that are refused before a view, and faults."""
