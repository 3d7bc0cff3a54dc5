"""Sentences about seating, files of deals, play-offs, ladders and the settings of standings."""

from collections.abc import Mapping
from typing import Final

from scoring.json_types import is_list
from scoring.sentences.phrases import Facts, SentenceTemplate, listed

_NOT_PLAYED: Final = {
    "declined": "A challenge between the two was declined",
    "expired": "A challenge between the two ran out without an answer",
    "forfeited_c": "A challenge between the two was given up",
    "forfeited_d": "A challenge between the two was given up",
}
"""State of a challenge that ended without a game → what is said of it."""


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


"""Code → sentence; the last three only warn."""


def _pair(pair: object) -> str:
    if is_list(pair):
        return listed(pair)
    return str(pair)


def _pairs(facts: Facts, name: str) -> str:
    return "; ".join(_pair(pair) for pair in facts[name])


def _constraints_not_met(facts: Facts) -> str:
    at = f" in round {facts['round']}" if facts["round"] else ""
    pairs = _pairs(facts, "pairs")
    players = f" Look at players {pairs}." if pairs else ""
    return f"No plan meets all constraints{at}.{players}"


SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "unknown_playoff_rule": "A play-off has no rule called {found}. Known are {known}.",
    "bad_playoff_rule": "“{rule}” of a play-off cannot be {found}. It is {expected}.",
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
    "bad_ladder_rule": "“{rule}” of a ladder cannot be {found}. It is {expected}.",
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
    "challenge_rematch": lambda facts: (
        f"{_NOT_PLAYED.get(str(facts['state']), 'The two met')} less than {facts['days']} days "
        f"ago. They may challenge each other again after {facts['until']}."
    ),
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
    "they differ. Choose “Average a hand”.",
    "raw_over_games": "{what} compares card points, which asks for one game, and the tables play "
    "{found}. Choose “Opponents beaten” or “Index a game”, or compare them by points.",
    "raw_over_sizes": "{what} compares card points, which asks for one size of table, and there "
    "are tables of {found}. Choose “Opponents beaten” or “Index a game”, or compare different "
    "sizes by points.",
    "no_placement_list": "There is no list of points for places at a table of {size}. Add one "
    "for this size, or choose “Opponents beaten”.",
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
    "no_evening_points": "{what} counts places of evenings, and the evenings of this event have "
    "none. Remove it.",
    "only_with_evening_points": "This counts evenings, so it needs an event that is ranked by "
    "evening points. Choose evening points, or remove this.",
    "evenings_not_dropped_by_game": "Evening points are of whole evenings, and no single game of "
    "one can be dropped. Count every result, or the best evenings.",
    "periods_without_evenings": "Periods have no length yet. Enter the number of evenings in a "
    "period, or 0 here.",
    "more_than_a_period": "{found} evenings cannot count in a period of {expected}. Enter a number "
    "from 1 to {expected}.",
    "no_seed": "{what} is drawn from the event's seed, and it has none. Give it a seed.",
    "bye_award_not_possible": "A bye cannot count as that here. Choose nothing, or the average of "
    "their own games; the average of a table's points goes with placement points only.",
    "bad_drop": "{found} games cannot be dropped. Write a whole number from 0 up.",
    "dropped_twice": "The worst {found} are dropped already. Set 0 here, or count every result.",
    "bad_best_of": "The rule of counted results is {found}. It must have a unit (meeting or game), "
    "a min and a per, both whole numbers from 1 up.",
    "criterion_is_primary": "It ranks the entrants already, so that it breaks no tie.",
    "ties_stay": "Entrants who are tied on everything share their place. Only {always} always "
    "breaks ties.",
    "never_asked": "{found} is never used, because there are no ties after a lot.",
    "lot_waits_for_playoff": "At a boundary with a play-off no lot is drawn until it is played; "
    "elsewhere it is.",
    "too_few_to_seat": "{found} players cannot be seated in round {round}. The smallest table has "
    "{least} seats.",
    "too_many_to_seat": "{found} players are too many for one plan. The maximum is {most}.",
    "moving_head_count": "{found} players are here. Where boards move, the number of players is "
    "{expected}: four at each table in every round. Add guests, or seat tables by hand.",
    "moving_rounds_left": "A plan of {found} rounds is not possible here: the boards move for "
    "{left} more rounds. Plan 1 to {left} rounds.",
    "moving_needs_everybody": lambda facts: (
        "Where boards move, everybody plays all rounds. These players are here for some rounds "
        f"only: {listed(facts['players'])}. Plan fewer rounds, or put a guest in their place."
    ),
    "bad_round_count": "A plan cannot have {found} rounds. It has 1 to {most} rounds.",
    "constraint_player_unknown": "A constraint names player {player}, who is not in the list of "
    "players.",
    "constraint_of_one_player": "A constraint names player {player} twice. It needs two different "
    "players.",
    "apart_and_together": lambda facts: (
        f"Players {_pair(facts['pair'])} must be apart, and must be together because of: "
        f"{_pairs(facts, 'together')}. Remove one of these constraints."
    ),
    "together_at_two_tables": lambda facts: (
        f"Players {_pair(facts['pair'])} must be together, but are fixed at tables "
        f"{_pair(facts['tables'])}. Fix both at one table."
    ),
    "apart_at_one_table": lambda facts: (
        f"Players {_pair(facts['pair'])} must be apart, but both are fixed at table "
        f"{facts['table']}. Fix one of them elsewhere."
    ),
    "apart_with_one_table": lambda facts: (
        f"Players {_pair(facts['pair'])} must be apart, but round {facts['round']} has one table "
        "only."
    ),
    "fixed_table_full": "{found} players are fixed at table {table}. A table has {most} seats at "
    "most.",
    "fixed_table_missing": "Player {player} is fixed at table {table}, but the tables are numbered "
    "1 to {found}.",
    "together_too_many": lambda facts: (
        f"Players {_pair(facts['players'])} must be together. A table has {facts['most']} seats "
        "at most."
    ),
    "constraints_not_met": _constraints_not_met,
    "no_table_sizes": "The rules allow no table of three players or more, so there is nothing to "
    "plan.",
    "not_yet": "Plans for the movement {movement} are not available yet. Use another movement.",
    "unknown_variation": lambda facts: (
        f"The movement {facts['movement']} has no variation {facts['variation']}. "
        + (f"Use one of {listed(facts['known'])}." if facts["known"] else "Remove this setting.")
    ),
    "no_tables_of_four": "The movement {movement} needs tables of four. Allow tables of four, or "
    "use individual.",
    "together_not_in_whist": lambda facts: (
        f"Players {_pair(facts['pair'])} must be together, but partners and tables change in a "
        "whist movement. Remove the constraint, or use individual."
    ),
    "players_left_over": lambda facts: (
        f"{facts['found']} players cannot be divided into {facts['movement']} of {facts['size']}: "
        f"{facts['left']} left over. Add {facts['size'] - facts['left']}, leave {facts['left']} "
        "out, or use whist, where partners change."
    ),
    "pair_of_another_size": "Pair {unit} has {found} members. A pair has two. Name a partner, or "
    "leave the pair out.",
    "player_in_two_units": "Player {player} is named twice in {movement}. A player belongs to one "
    "of them.",
    "player_without_unit": "Player {player} is in none of the {movement}. Name a partner or a "
    "team, or leave the player out.",
    "too_few_in_movement": "The movement {movement} needs two {movement} or more; {found} can "
    "play.",
    "team_too_small": "Team {unit} has {found} players and needs {least}. Name a substitute, play "
    "matches at one table, or leave the team out.",
    "one_round_at_a_time": "Swiss and knock-out rounds are planned one at a time, not {found}: the "
    "next one needs the results of the round before.",
    "knockout_does_not_shrink": "{next} of {found} players would go on, so the knock-out would not "
    "end. {advance} of each table are too many for these tables.",
    "knockout_tie": lambda facts: (
        f"Players {_pair(facts['players'])} are tied for place {facts['place']}, which decides who "
        "goes on. Let them play another hand, or give one of them a penalty or a bonus."
    ),
    "wild_card_tie": lambda facts: (
        f"Players {_pair(facts['players'])} are tied for the last wild card. Withdraw players who "
        "have left from the event: the others are played off then."
    ),
    "knockout_is_over": "The final of the knock-out has been played.",
    "bad_scores_file": "The file of scores is not valid at {at}. It needs a score for each player "
    'number, such as {{"1": 12, "2": "26/3"}}.',
    "bad_plan_file": "The plan file is not valid at {at}. It needs rounds with tables, tables with "
    "seats, and seats with player numbers from 1.",
    "bad_deal_file": "The deal file cannot be read at {at}. It needs a list deals, and in each "
    "deal a number and hands with lists of cards for N, E, S and W.",
    "bad_pbn_deal": "The deal of board {board} cannot be read: “{found}”. A PBN deal has a first "
    "seat and four hands, as in N:AK2.Q93.T84.J765 followed by three more.",
    "pbn_deal_without_board": "The deal in line {line} has no board number. Write a tag such as "
    '[Board "1"] before it.',
    "no_deals": "The file has no deals. It needs at least one.",
    "bad_board_number": "“{found}” is not the number of a board. Boards are numbered 1 to {most}.",
    "board_twice": "Board {board} is there twice. Give each board its number once.",
    "bad_dealer": "“{found}” cannot be the dealer of board {board}. Use N, E, S or W.",
    "deal_hand_size": "Board {board}: {seat} has {found} cards. Each hand has {expected}.",
    "unknown_deal_card": "Board {board}: {seat} has “{card}”, which is not a card of the pack. "
    "Write cards as in 2C, 10H, QS.",
    "deal_card_twice": "Board {board}: the {card} is there twice, at {seat}. Each card belongs to "
    "one hand.",
    "deal_card_missing": "Board {board}: the {card} is missing. It belongs to {seat}, who has too "
    "few cards.",
    "no_moving_boards": "There is no movement of boards for {found} tables. It needs one of "
    "{known}.",
}
