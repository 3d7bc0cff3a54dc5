"""Files made of rows, and in `read` rows made of files."""
