"""From files that people keep to typed sheets: reading, columns, rows, sheets, and the report."""
