"""The documentation as pages, its search, terms and topics."""
