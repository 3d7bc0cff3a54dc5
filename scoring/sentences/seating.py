"""Sentences about seating plans, files of deals and movements of boards."""

from collections.abc import Mapping
from typing import Final

from scoring.json_types import is_list
from scoring.sentences.phrases import Facts, SentenceTemplate, listed


def _pair(pair: object) -> str:
    return listed(pair) if is_list(pair) else str(pair)


def _pairs(facts: Facts, name: str) -> str:
    return "; ".join(_pair(pair) for pair in facts[name])


def _apart_and_together(facts: Facts) -> str:
    return (
        f"Players {_pair(facts['pair'])} must be apart, and must be together because of: "
        f"{_pairs(facts, 'together')}. Remove one of these constraints."
    )


def _constraints_not_met(facts: Facts) -> str:
    at = f" in round {facts['round']}" if facts["round"] else ""
    pairs = _pairs(facts, "pairs")
    return (
        f"No plan meets all constraints{at}. Look at players {pairs}."
        if pairs
        else f"No plan meets all constraints{at}."
    )


def _players_left_over(facts: Facts) -> str:
    missing = facts["size"] - facts["left"]
    groups = f"{facts['movement']} of {facts['size']}"
    return (
        f"{facts['found']} players cannot be divided into {groups}: {facts['left']} left over. Add "
        f"{missing}, leave {facts['left']} out, or use whist, where partners change."
    )


def _moving_needs_everybody(facts: Facts) -> str:
    return (
        "Where boards move, everybody plays all rounds. These players are here for some rounds "
        f"only: {listed(facts['players'])}. Plan fewer rounds, or put a guest in their place."
    )


SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "too_few_to_seat": "{found} players cannot be seated in round {round}. The smallest table has "
    "{least} seats.",
    "too_many_to_seat": "{found} players are too many for one plan. The maximum is {most}.",
    "moving_head_count": "{found} players are here. Where boards move, the number of players is "
    "{expected}: four at each table in every round. Add guests, or seat tables by hand.",
    "moving_rounds_left": "A plan of {found} rounds is not possible here: the boards move for "
    "{left} more rounds. Plan 1 to {left} rounds.",
    "moving_needs_everybody": _moving_needs_everybody,
    "bad_round_count": "A plan cannot have {found} rounds. It has 1 to {most} rounds.",
    "constraint_player_unknown": "A constraint names player {player}, who is not in the list of "
    "players.",
    "constraint_of_one_player": "A constraint names player {player} twice. It needs two different "
    "players.",
    "apart_and_together": _apart_and_together,
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
    "players_left_over": _players_left_over,
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
