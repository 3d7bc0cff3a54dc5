"""Variants, house rules, rules cards, scores of cases."""
