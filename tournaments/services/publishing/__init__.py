"""From stored totals to a numbered publication: rows, tie-breaks, ranking, columns, bytes."""
