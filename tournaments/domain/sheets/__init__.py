"""Score sheets on paper: their fields, marks, codes, photos and geometry."""
