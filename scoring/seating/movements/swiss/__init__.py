"""Swiss rounds: drawn table by table, checked, with their reasons."""
