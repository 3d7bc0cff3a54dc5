"""The REST interface over the services and selectors of `tournaments`. No rule lives here."""
