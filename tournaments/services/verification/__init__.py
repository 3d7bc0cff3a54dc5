"""Computing stored numbers again and comparing them."""
