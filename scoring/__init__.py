"""The rules engine of Blacklady: pure, typed, standard library only (and `openskill` in one room).

From the ground up (a room imports only from rooms below it):

`numbers`, `sentences` → `errors`, `cards` → `vocabulary`, `grammar` → `rules` → `prepared` →
`sheet` → `typed`, `catalogue` → `variant_checks` → the steps `conserve`, `values`, `modifiers`,
`moon`, `adjust`, `settle`, `tricks`, `sharing` → `progress` → `deciding`, `possible` → `engine` →
`game` → `standings`, `ladders` → `playoffs`; `cases`, `rules_card` → `__main__`.

There are no names here: say the room, `from scoring.game.game import play`.
"""
