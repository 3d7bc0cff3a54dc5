"""The documentation as pages: documents, search, terms, which page explains which, the tour."""
