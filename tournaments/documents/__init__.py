"""Files made of rows, and rows made of files."""
