"""Layout, errors and decorators that all pages share."""
