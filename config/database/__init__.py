"""How processes read, write and wait on their connection to the database."""
