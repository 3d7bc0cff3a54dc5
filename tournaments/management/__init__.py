"""What a person runs from the command line, and what keeps `serve` running."""
