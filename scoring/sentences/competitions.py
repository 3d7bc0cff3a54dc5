"""Sentences about play-offs, ladders and the settings of standings."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import Facts, SentenceTemplate, sentence_template


def _cut_would_change(facts: Facts) -> str:
    by_this = "there would be a tie at the cut"
    if not facts["tie"]:
        by_this = f"{facts['come']} would come in and {facts['go']} go out"
    gone = facts.get("shared", facts["above"])
    if gone != facts["above"]:
        by_this = f"{facts['above']} go on by the rule: {by_this}"
    return (
        f"The best {gone} have gone on already. By this {by_this}. Decide whether to keep the cut."
    )


PLAYOFF_SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "unknown_playoff_rule": sentence_template(
        "A play-off has no rule called {found}. Known are {known}."
    ),
    "bad_playoff_rule": sentence_template(
        "The rule {rule} of a play-off cannot be {found}. It is {expected}."
    ),
    "playoff_void": sentence_template(
        "A correction has ended this play-off. Its hands do not count."
    ),
    "playoff_over": sentence_template("This play-off is decided already."),
    "playoff_state": sentence_template("The play-off is {found}. It cannot become {wanted}."),
    "playoff_stranger": sentence_template("{member} does not belong to this play-off."),
    "playoff_hand_incomplete": sentence_template(
        "{member} is missing in the hand. All players who are still tied must play."
    ),
    "too_many_neutral_players": sentence_template(
        "{found} neutral players are named; the open tables have {expected} chairs for them."
    ),
    "playoff_placed": sentence_template(
        "{member} does not play any more: placed already, or not in it."
    ),
    "playoff_hands_over": sentence_template(
        "The {most} hands of this play-off are over. Allow more, or draw lots."
    ),
    "playoff_would_change": sentence_template(
        "{members} have finished a play-off, and this changes the tie. "
        "Decide whether to keep the result or replay."
    ),
    "cut_would_change": _cut_would_change,
}
"""Code → sentence."""


_NOT_PLAYED: Final[Mapping[str, str]] = {
    "declined": "A challenge between the two was declined",
    "expired": "A challenge between the two ran out without an answer",
    "forfeited_c": "A challenge between the two was given up",
    "forfeited_d": "A challenge between the two was given up",
}
"""State of a challenge that ended without a game → what is said of it."""


def _challenge_rematch(facts: Facts) -> str:
    what = _NOT_PLAYED.get(str(facts["state"]), "The two met")
    return (
        f"{what} less than {facts['days']} days ago. They may challenge each other again after "
        f"{facts['until']}."
    )


LADDER_SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "unknown_ladder_rule": sentence_template(
        "A ladder has no rule called {found}. Known are {known}."
    ),
    "bad_ladder_rule": sentence_template(
        "The rule {rule} of a ladder cannot be {found}. It is {expected}."
    ),
    "ladder_member_twice": sentence_template("{member} is named twice. Everybody has one place."),
    "not_on_ladder": sentence_template("{member} is not on the ladder. Let them join first."),
    "ladder_table_size": sentence_template(
        "There are {found} members at the table. A table challenge is for {least} to {most}."
    ),
    "ladder_span": sentence_template(
        "The best and the last at the table are {found} places apart. At most {most} are allowed."
    ),
    "rated_sides": sentence_template(
        "There are {found} at the table. A rated game has {least} to {most} players, or as many "
        "sides of equal size."
    ),
    "rated_places": sentence_template("There are {found} places for {expected} at the table."),
    "challenge_self": sentence_template(
        "Nobody can challenge themselves. Choose somebody above you."
    ),
    "challenge_absent": sentence_template("{member} is away. Wait until they are back."),
    "challenge_inactive": sentence_template("{member} is not active in the club any more."),
    "challenge_downwards": sentence_template(
        "{member} is at place {place}, below {own}. One challenges upwards only."
    ),
    "challenge_beyond_reach": sentence_template(
        "{member} is {found} places up, at place {place}. At most {most} up may be challenged."
    ),
    "challenge_out_open": sentence_template(
        "{member} has an open challenge already, to {other}. Finish or withdraw it first."
    ),
    "challenge_in_open": sentence_template(
        "{member} has been challenged already, by {other}. Wait until that is over."
    ),
    "challenge_rematch": _challenge_rematch,
    "challenge_state": sentence_template("The challenge is {found}. It cannot become {wanted}."),
    "challenge_too_late": sentence_template(
        "The deadline was {over}. Later answers and results do not count."
    ),
    "challenge_stranger": sentence_template("{member} does not belong to this challenge."),
    "challenge_player_missing": sentence_template(
        "{member} is not in the result. Both must have played."
    ),
    "challenge_not_the_loser": sentence_template(
        "{member} cannot confirm this result. {loser}, who lost, or a host can."
    ),
    "challenge_postponed": sentence_template("{member} has already postponed this game once."),
    "absence_backwards": sentence_template(
        "The absence ends before it begins. Turn the two days round."
    ),
    "absence_too_long": sentence_template(
        "That is {found} days away, and {left} of the season's {most} are left. Members who are "
        "away longer leave the ladder and return at the bottom."
    ),
}
"""Code → sentence."""


SCHEME_SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
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
