"""Computing stored numbers again and comparing them (verify), or storing them (repair)."""
