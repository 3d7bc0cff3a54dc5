"""The Django app: clubs, events, evenings, entries, publications. See docs/architecture.md."""
