"""Lists of REST: pages by a cursor, filters, sparse fields, whole lists as NDJSON."""
