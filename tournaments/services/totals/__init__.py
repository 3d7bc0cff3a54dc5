"""What games add to an entrant's totals, and which of them count."""
