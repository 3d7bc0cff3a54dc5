"""Previews: what a change would do, computed by making it and rolling it back."""
