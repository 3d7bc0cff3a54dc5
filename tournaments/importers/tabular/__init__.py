"""Reading CSV and spreadsheet files as rows of cells."""
