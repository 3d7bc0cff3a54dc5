"""Metrics for Prometheus: counters of requests, and figures read from the database."""
