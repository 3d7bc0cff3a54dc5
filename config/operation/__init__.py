"""Operating an installation: backups, and what monitoring reads of them."""
