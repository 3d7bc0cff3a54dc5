"""The rules engine of Blacklady: pure and typed, on the standard library and `openskill`.

From the bottom (a module imports only from those before it; a contract in pyproject.toml):

`packed_counters`, `numbers`, `option_labels` → `sentences` → `errors` → `budget` → `cards` →
`rules` → `entry` → `engine` (the steps) → `diagnosis` → `par`, `place_points`, `offline_checks` →
`game` → `ladders`, `standings` → `playoffs` → `cases`, `rules_card` → `__main__`.

This package re-exports nothing: write `from scoring.game.game import play`.
"""
