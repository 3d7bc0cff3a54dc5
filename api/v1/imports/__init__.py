"""Files of sheets and results: import, problems, export."""
