"""What is wrong with a scheme of standings; the last three only warn."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import SentenceTemplate, sentence_template

SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "unknown_criterion": sentence_template(
        "There is no criterion called {found} here. Known are {known}."
    ),
    "criterion_twice": sentence_template(
        "{found} is in the tie-break order twice. Remove one of them."
    ),
    "scores_have_no_order": sentence_template(
        "{what} totals real scores, but some tables here score in complex numbers. Choose a "
        "value based on places."
    ),
    "hands_not_known": sentence_template(
        "{what} divides by the hands played, and of some games nobody knows how many there were. "
        "Write their number of hands, or choose something made of places."
    ),
    "hands_differ": sentence_template(
        "{what} compares totals, which asks for as many hands from everybody, and here they "
        "differ. Choose raw_per_hand."
    ),
    "raw_over_games": sentence_template(
        "{what} compares card points, which asks for one game, and the tables play {found}. "
        "Choose beaten_mean or index_per_game, or allow it with mixed_raw."
    ),
    "raw_over_sizes": sentence_template(
        "{what} compares card points, which asks for one size of table, and there are tables of "
        "{found}. Choose beaten_mean or index_per_game, or allow it with mixed_raw."
    ),
    "no_placement_list": sentence_template(
        "There is no list of points for places at a table of {size}. Add one under placement, "
        "or choose beaten_mean."
    ),
    "bad_placement_list": sentence_template(
        "The list of points for a table of {size} has {found} places. Write exactly {size}."
    ),
    "moons_not_known": sentence_template(
        "{what} needs the shooters of moons, which sheets with totals only do not record. "
        "Remove it."
    ),
    "no_sides": sentence_template(
        "{what} compares sides, and here everybody plays alone. Remove it, or choose rules "
        "with partners."
    ),
    "no_boards": sentence_template(
        "{what} compares the same deals at other tables, so it needs a duplicate event. Set "
        "duplicate first."
    ),
    "boards_not_dropped": sentence_template(
        "{what} is a mean over boards, and no game of it can be dropped. Count every result."
    ),
    "matches_not_dropped": sentence_template(
        "{what} are of whole matches, and no game of one can be dropped. Count every result."
    ),
    "no_seed": sentence_template(
        "{what} is drawn from the event's seed, and it has none. Give it a seed."
    ),
    "bye_award_not_possible": sentence_template(
        "A bye cannot be worth {found} where {primary} orders. Choose none or own_mean; "
        "scheme_mean goes with placement_points."
    ),
    "bad_drop": sentence_template(
        "{found} games cannot be dropped. Write a whole number from 0 up."
    ),
    "dropped_twice": sentence_template(
        "drop_worst already drops {found}. Set it to 0, or leave best_of out: one of the two."
    ),
    "bad_best_of": sentence_template(
        "best_of is written as {found}. It must have a unit (meeting or game), a min and a per, "
        "both whole numbers from 1 up."
    ),
    "ties_stay": sentence_template(
        "Entrants who are tied on everything share their place. Only {always} always breaks ties."
    ),
    "never_asked": sentence_template(
        "{found} is never used, because there are no ties after a lot."
    ),
    "lot_waits_for_playoff": sentence_template(
        "At a boundary with a play-off no lot is drawn until it is played; elsewhere it is."
    ),
}
"""Code → sentence; the last three only warn."""
