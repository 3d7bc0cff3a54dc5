"""Sentences about play-offs, ladders and the settings of standings."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import Facts, SentenceTemplate


def _cut_would_change(facts: Facts) -> str:
    change = "there would be a tie at the cut"
    if not facts["tie"]:
        change = f"{facts['come']} would come in and {facts['go']} go out"
    best = facts.get("shared", facts["above"])
    if best != facts["above"]:
        change = f"{facts['above']} go on by the rule: {change}"
    return (
        f"The best {best} have gone on already. By this {change}. Decide whether to keep the cut."
    )


_NOT_PLAYED: Final[Mapping[str, str]] = {
    "declined": "A challenge between the two was declined",
    "expired": "A challenge between the two ran out without an answer",
    "forfeited_c": "A challenge between the two was given up",
    "forfeited_d": "A challenge between the two was given up",
}
"""State of a challenge that ended without a game → what is said of it."""


def _challenge_rematch(facts: Facts) -> str:
    event = _NOT_PLAYED.get(str(facts["state"]), "The two met")
    return (
        f"{event} less than {facts['days']} days ago. They may challenge each other again after "
        f"{facts['until']}."
    )


SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "unknown_playoff_rule": "A play-off has no rule called {found}. Known are {known}.",
    "bad_playoff_rule": "The rule {rule} of a play-off cannot be {found}. It is {expected}.",
    "playoff_void": "A correction has ended this play-off. Its hands do not count.",
    "playoff_over": "This play-off is decided already.",
    "playoff_state": "The play-off is {found}. It cannot become {wanted}.",
    "playoff_stranger": "{member} does not belong to this play-off.",
    "playoff_hand_incomplete": "{member} is missing in the hand. All players who are still tied "
    "must play.",
    "too_many_neutral_players": "{found} neutral players are named; the open tables have "
    "{expected} chairs for them.",
    "playoff_placed": "{member} does not play any more: placed already, or not in it.",
    "playoff_hands_over": "The {most} hands of this play-off are over. Allow more, or draw lots.",
    "playoff_would_change": "{members} have finished a play-off, and this changes the tie. Decide "
    "whether to keep the result or replay.",
    "cut_would_change": _cut_would_change,
    "unknown_ladder_rule": "A ladder has no rule called {found}. Known are {known}.",
    "bad_ladder_rule": "The rule {rule} of a ladder cannot be {found}. It is {expected}.",
    "ladder_member_twice": "{member} is named twice. Everybody has one place.",
    "not_on_ladder": "{member} is not on the ladder. Let them join first.",
    "ladder_table_size": "There are {found} members at the table. A table challenge is for {least} "
    "to {most}.",
    "ladder_span": "The best and the last at the table are {found} places apart. At most {most} "
    "are allowed.",
    "rated_sides": "There are {found} at the table. A rated game has {least} to {most} players, or "
    "as many sides of equal size.",
    "rated_places": "There are {found} places for {expected} at the table.",
    "challenge_self": "Nobody can challenge themselves. Choose somebody above you.",
    "challenge_absent": "{member} is away. Wait until they are back.",
    "challenge_inactive": "{member} is not active in the club any more.",
    "challenge_downwards": "{member} is at place {place}, below {own}. One challenges upwards "
    "only.",
    "challenge_beyond_reach": "{member} is {found} places up, at place {place}. At most {most} up "
    "may be challenged.",
    "challenge_out_open": "{member} has an open challenge already, to {other}. Finish or withdraw "
    "it first.",
    "challenge_in_open": "{member} has been challenged already, by {other}. Wait until that is "
    "over.",
    "challenge_rematch": _challenge_rematch,
    "challenge_state": "The challenge is {found}. It cannot become {wanted}.",
    "challenge_too_late": "The deadline was {over}. Later answers and results do not count.",
    "challenge_stranger": "{member} does not belong to this challenge.",
    "challenge_player_missing": "{member} is not in the result. Both must have played.",
    "challenge_not_the_loser": "{member} cannot confirm this result. {loser}, who lost, or a host "
    "can.",
    "challenge_postponed": "{member} has already postponed this game once.",
    "absence_backwards": "The absence ends before it begins. Turn the two days round.",
    "absence_too_long": "That is {found} days away, and {left} of the season's {most} are left. "
    "Members who are away longer leave the ladder and return at the bottom.",
    "unknown_criterion": "There is no criterion called {found} here. Known are {known}.",
    "criterion_twice": "{found} is in the tie-break order twice. Remove one of them.",
    "scores_have_no_order": "{what} totals real scores, but some tables here score in complex "
    "numbers. Choose a value based on places.",
    "hands_not_known": "{what} divides by the hands played, and of some games nobody knows how "
    "many there were. Write their number of hands, or choose something made of places.",
    "hands_differ": "{what} compares totals, which asks for as many hands from everybody, and here "
    "they differ. Choose raw_per_hand.",
    "raw_over_games": "{what} compares card points, which asks for one game, and the tables play "
    "{found}. Choose beaten_mean or index_per_game, or allow it with mixed_raw.",
    "raw_over_sizes": "{what} compares card points, which asks for one size of table, and there "
    "are tables of {found}. Choose beaten_mean or index_per_game, or allow it with mixed_raw.",
    "no_placement_list": "There is no list of points for places at a table of {size}. Add one "
    "under placement, or choose beaten_mean.",
    "bad_placement_list": "The list of points for a table of {size} has {found} places. Write "
    "exactly {size}.",
    "moons_not_known": "{what} needs the shooters of moons, which sheets with totals only do not "
    "record. Remove it.",
    "no_sides": "{what} compares sides, and here everybody plays alone. Remove it, or choose rules "
    "with partners.",
    "no_boards": "{what} compares the same deals at other tables, so it needs a duplicate event. "
    "Set duplicate first.",
    "boards_not_dropped": "{what} is a mean over boards, and no game of it can be dropped. Count "
    "every result.",
    "matches_not_dropped": "{what} are of whole matches, and no game of one can be dropped. Count "
    "every result.",
    "no_seed": "{what} is drawn from the event's seed, and it has none. Give it a seed.",
    "bye_award_not_possible": "A bye cannot be worth {found} where {primary} orders. Choose none "
    "or own_mean; scheme_mean goes with placement_points.",
    "bad_drop": "{found} games cannot be dropped. Write a whole number from 0 up.",
    "dropped_twice": "drop_worst already drops {found}. Set it to 0, or leave best_of out: one of "
    "the two.",
    "bad_best_of": "best_of is written as {found}. It must have a unit (meeting or game), a min "
    "and a per, both whole numbers from 1 up.",
    "ties_stay": "Entrants who are tied on everything share their place. Only {always} always "
    "breaks ties.",
    "never_asked": "{found} is never used, because there are no ties after a lot.",
    "lot_waits_for_playoff": "At a boundary with a play-off no lot is drawn until it is played; "
    "elsewhere it is.",
}
"""Code → sentence; the last three only warn."""
