"""Variants, house rules and rules cards."""
