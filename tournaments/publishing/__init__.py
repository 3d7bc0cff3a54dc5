"""From stored sums to a numbered publication: rows, evidence, ranking, columns, bytes."""
