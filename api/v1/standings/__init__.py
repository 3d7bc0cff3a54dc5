"""Published standings, their history, who met whom, metrics."""
