"""Sentences about rounds, seats, hands, boards and house rules."""

from typing import Final

from django.utils.translation import gettext_noop as _

ROUNDS: Final = {
    "unknown_round": _("There is no round with that number in this event."),
    "unknown_table": _("There is no table with that code in this event."),
    "round_not_open": _("Round {round} is {state}. A director can correct it with a reason."),
    "round_is_draft": _(
        "Round {round} is a draft. Hands can be entered after the director posts it."
    ),
    "hands_disputed": _("Round {round} has a disputed hand. Resolve it first."),
    "bad_round_number": _("A round cannot have the number {found}. Expected: {expected}."),
    "round_exists": _("Round {round} already exists."),
    "round_has_tables": _("Round {round} has tables. Only an empty draft can be deleted."),
    "round_has_no_clock": _("No clock runs in round {round}."),
    "round_extended": _(
        "Somebody else just changed the time of round {round}: {minutes} minutes were added so far."
    ),
    "bad_minutes": _("A round cannot be extended by {found} minutes. Expected: {expected}."),
    "round_has_no_table": _("Round {round} has no tables yet. Seat a table first."),
    "round_has_hands": _(
        "Hands of round {round} have been entered, so it cannot become a draft again."
    ),
    "round_is_closed": _("Round {round} is closed. Reopen it before you change its tables."),
    "games_still_open": _(
        "Open tables in round {round}: {tables}. Enter their hands and close them, or abandon or "
        "remove them."
    ),
    "no_table_to_redraw": _(
        "Round {round} has no table without hands to redraw. Redraw all its tables, or change "
        "the players of one."
    ),
    "bad_redraw_scope": _("A round cannot be redrawn for “{found}”. Expected: {expected}."),
    "redraw_complete_tables": _(
        "Tables of round {round} are complete: {tables}. Redraw the tables without hands, or "
        "reopen the complete tables first."
    ),
    "redraw_discards_hands": _(
        "Redrawing all tables of round {round} discards hands. Tables, with the number of their "
        "hands: {tables}. Check them and confirm again."
    ),
    "present_without_seat": _(
        "Round {round} has no seat for {players}. Seat them or let them sit out, then post the "
        "round."
    ),
    "seated_player_left": _(
        "{players} left and still have a seat in round {round}. Give the seat to somebody else, "
        "then post the round."
    ),
    "round_seating_outdated": _(
        "The seating of round {round} has changed. Check the current seating, then change it."
    ),
    "bad_seating_change": _(
        "The change “{found}” is not about players and tables of this round. Pick one player or "
        "two, or a table."
    ),
    "bad_tables": _("These tables cannot be read: {found}. Expected: {expected}."),
    "too_many_picked": _(
        "You picked {found} players. Pick two to swap, one to move, or players who wait for a new "
        "table."
    ),
    "nobody_picked": _("Tick the players of the table first."),
    "player_not_free": _(
        "{player} is not free: not here, or at a table that is still playing. Pick other players."
    ),
    "too_few_free": _(
        "Free players: {found}, too few for a table of {least}. Wait for more players."
    ),
    "previous_round_open": _(
        "Round {round} is not closed. Open tables: {tables}. Close it, then seat the next round."
    ),
    "table_exists": _("Table {table} is already seated."),
}

SEATING_PLANS: Final = {
    "unknown_plan": _("This plan is not there any more. Look at the plans of the evening."),
    "unknown_constraint": _("There is no such constraint in this event."),
    "bad_table_sizes": _(
        "Tables of {found} are not allowed by the rules of this event. Use {expected}."
    ),
    "bad_seed": _("A seed is a whole number from 0 to {most}, not {found}."),
    "plan_failed": _("No plan was found here. Change the rounds, table sizes or constraints."),
    "plan_outdated": _("{left} cannot play all rounds of this plan any more. Create new plans."),
    "plan_round_is_over": _(
        "Rounds posted since this plan was made: {found}. Create new plans for the rounds to come."
    ),
    "plan_scores_changed": _(
        "The standings changed after this Swiss round was planned. Create new plans."
    ),
    "draft_out_of_date": _(
        "Round {round} is out of date. Since it was drawn these have changed: {drawn_from} "
        "({names}). Draw it again, or post it anyway."
    ),
    "draft_not_drawn": _(
        "Round {round} is not a draft that was drawn by results or places. Change its seats, or "
        "plan it again."
    ),
    "plan_lacks_players": _(
        "{came} came after this plan was made. Create new plans, or choose this one anyway: the "
        "people who came sit out then."
    ),
    "bad_constraint_kind": _("{found} is not a kind of constraint. Expected: {expected}."),
    "bad_fixed_table": _("A fixed table has a number from 1 to {most}."),
    "constraint_exists": _("{player} has this constraint already. Remove it first."),
    "no_plan_chosen": _("No plan is chosen for {date}. Choose one, then seat its rounds."),
    "no_ladder_order": _(
        "Nobody here has a place in the ladder or in the standings yet. Use another kind of plan."
    ),
    "round_not_closed": _(
        "Round {round} is not closed. Close all rounds, so that the next one is planned by "
        "their results."
    ),
    "standings_not_published": _(
        "The standings do not have all results yet. Publish them, or wait a moment, and plan the "
        "round then."
    ),
    "open_night_has_no_rounds": _(
        "An open night has no planned rounds. Form tables from the players who are free."
    ),
    "no_open_night": _("The plan chosen for {date} is not an open night. Choose an open night."),
    "no_boards_move": _(
        "No boards move between tables in round {round}. Deal boards that move, or choose another "
        "kind of plan."
    ),
    "moving_seats_differ": _(
        "The seats of round {round} differ from the plan of its boards, so the next round cannot "
        "be planned. Seat tables by hand."
    ),
    "plan_of_other_boards": _(
        "This round of the plan is for the boards of round {expected}, and this is round {round}. "
        "Make a new plan."
    ),
    "plan_not_chosen": _("This plan is not the chosen one. Choose it before you seat its rounds."),
    "plan_not_ready": _("This plan is still being computed. Wait, or take the best plan so far."),
    "plan_has_no_more_rounds": _(
        "Every round of the plan is seated. Make a plan for further rounds."
    ),
    "bad_plan_round": _("The plan has no round {found}. Expected: {expected}."),
    "planned_players_changed": _(
        "Round {round} of the plan does not fit any more. Left: {gone}. Not in the plan: {came}. "
        "Seat the round with the changes that are proposed, or make a new plan."
    ),
    "plan_partners_changed": _(
        "Pairs or teams were changed after this plan was made: {names}. Create new plans."
    ),
    "plan_partners_left": _(
        "{names} cannot play this round, and its tables need all partners. Create new plans for "
        "those who stay: rounds that were played are taken into account."
    ),
    "bad_variation": _("{found} is not a variation of this movement. Expected: {expected}."),
    "movement_needs_sides": _(
        "This kind of evening needs rules with two sides of two, such as Partnership Hearts. "
        "Change the game in the settings of the event, or use another kind of plan."
    ),
    "whist_of_pairs": _(
        "Partners change every round in a whist evening, but pairs or teams are entered: {names}. "
        "Withdraw them, or plan an evening of pairs."
    ),
    "players_without_partner": _(
        "Not in a pair: {names}. Enter them as pairs under Players, add a constraint “Always at "
        "one table” for two who play together this evening, or check them out."
    ),
    "players_without_team": _(
        "Not in a team: {names}. Enter them in a team under Players, or check them out."
    ),
    "pair_incomplete": _(
        "{name}: {missing} is not here. Check in {missing}, let a substitute play by a constraint "
        "“Always at one table” with the partner, or check the partner out."
    ),
    "team_is_no_pair": _(
        "A pair has two players. Players of {name} here: {found}. Plan team matches, or check in "
        "two."
    ),
    "team_incomplete": _(
        "{name} has {found} of the {expected} players that a match needs. Not here: {missing}. "
        "Check them in, change the team under Pairs and teams, or check its players out: the team "
        "then has no match."
    ),
    "team_too_small": _(
        "{name} is a team of {found}, and a match needs {expected}. Add a player to the team under "
        "Pairs and teams, choose team matches at one table, or check its players out: the team "
        "then has no match."
    ),
    "team_too_large": _(
        "{name} has {found} players here, and at most {most} play in a match. Check out those who "
        "rest."
    ),
    "too_few_pairs_or_teams": _(
        "Pairs or teams here: {found}. At least {least} are needed. Enter more of them under Pairs "
        "and teams."
    ),
}

SEATS: Final = {
    "table_abandoned": _("Table {number} was abandoned and takes no hands. Ask the director."),
    "table_is_left": _(
        "Table {table} has no players any more, so hand {number} cannot be entered there. Enter "
        "the hand at the players' present table, or seat them at a new one."
    ),
    "players_sit_elsewhere": _(
        "Hand {number} cannot be restored, because {player} now sits at table {table_number} of "
        "this round. Change the seats of table {table_number} first, or leave the hand deleted."
    ),
    "players_moved": _(
        "Players have changed seats since this page was opened: {players}. Check that each number "
        "is beside the right player, then save again."
    ),
    "hands_moved": _(
        "Since you opened table {table}, hands were moved between it and table {other} of round "
        "{round}. Check at which of the two tables your entry was played."
    ),
    "table_has_hands": _(
        "Hands have been entered at table {table}, so its seats and rules cannot change. Use "
        "“Change players”, or delete the hands."
    ),
    "seat_is_empty": _("Enter a player for seat {seat}."),
    "same_player_twice": _(
        "{player} ({player_id}) is entered twice. Choose another player for one seat."
    ),
    "player_already_seated": _(
        "{player} sits at table {table} of this round. Swap the players, or free table {table} "
        "first."
    ),
    "player_sits_here": _("{player} already sits at this table, in seat {seat}. Swap the players."),
    "same_person": _("{player} already sits in this seat. Choose another player."),
    "nobody_to_swap": _(
        "{player} has no seat in round {round}, so a swap is not possible. Replace the player "
        "instead."
    ),
    "side_sits_apart": _(
        "{names} do not sit together on one side of a table in round {round}. Choose a side that "
        "plays in this round, or replace the players."
    ),
    "nobody_named": _("Enter a player."),
    "nobody_in_seat": _("Seat {seat} of table {table} is empty. Seat the table first."),
    "unknown_seat_number": _("This table has no seat {found}. It has seats {expected}."),
    "bad_from_hand": _("{found} is not a valid first hand. Expected: {expected}."),
    "bad_change_of_players": _("“{found}” is not allowed here. Expected: {expected}."),
    "totals_not_divided": _(
        "Table {table} has totals only, which cannot be divided between players. Keep the "
        "scores with the seat from hand 1, or delete the totals."
    ),
    "no_hands_to_come": _(
        "Table {table} is over, so a new player would play no hand there. Keep the scores with the "
        "seat, or choose another player of this round."
    ),
    "scores_of_a_side": _(
        "The points were entered for a side, so they cannot follow one player to another side. "
        "Keep the scores with the seats, or delete the hands."
    ),
    "hand_refuses_seats": _(
        "Hand {number} of table {table} would become impossible with its scores at other seats. "
        "{why}"
    ),
    "player_in_two_seats": _(
        "{player} would sit in seats {seats} of table {table} for the same hand. Change the "
        "player of the other seat first, or choose another player."
    ),
    "challenge_needs_players": _(
        "Table {table} is the game of challenge {number}. Both players of the challenge must "
        "sit there."
    ),
    "seating_outdated": _(
        "The players or hands of table {table} have changed. Check the table again."
    ),
    "change_undone": _("This change of the players of table {table} is undone already."),
    "seats_moved_on": _(
        "The players of table {table} were changed again later. Undo the later change first."
    ),
    "unknown_change": _("There is no change with that number at this table."),
    "same_table": _("The hands are at table {table} already. Choose another table."),
    "bad_move_of_hands": _(
        "Hands are moved from a hand on, or two sheets are exchanged. Found: {found}. Expected: "
        "{expected}."
    ),
    "no_hands_to_move": _("Table {table} has no hand from hand {number} on."),
    "other_rules_there": _(
        "Tables {table} and {other} play by different rules, or have different seats. Hands can "
        "only be moved between tables that play alike."
    ),
    "nobody_to_move_to": _(
        "At table {table} not every seat has a player for hand {number}. Seat the players first."
    ),
    "hand_refuses_table": _("Hand {number} would be impossible at table {table}. {why}"),
    "hands_moved_on": _(
        "Hands of table {table} were entered or changed since. Move the hands back as a new change."
    ),
    "player_mismatch": _(
        "The entry has {found_name} in seat {seat}, where {expected_name} sits. Nothing was saved."
    ),
    "players_needed": _("No players are seated at this table yet. Give the players in seat order."),
    "bad_players": _("Players must be a list of player ids in seat order."),
}

HANDS: Final = {
    "unknown_hand": _("There is no hand with that number at this table."),
    "unknown_dispute": _("There is no dispute with that number in this event."),
    "dispute_exists": _("You have already reported this: dispute {number} is about hand {hand}."),
    "too_many_disputes": _(
        "You have {expected} open problems in this event. Withdraw one, or wait until a director "
        "has ruled on one."
    ),
    "too_many_result_notes": _(
        "You have {expected} open notes in this event. Wait until a director has answered one."
    ),
    "unknown_result_note": _("There is no note with that number in this event."),
    "result_note_answered": _("Note {number} has been answered already."),
    "bad_ruling": _("A dispute can be upheld or rejected, not {found}."),
    "adds_up": _(
        "The total of hand {number} is correct. Save the hand instead of marking it as disputed."
    ),
    "unknown_photo": _("There is no photo with that number at this table."),
    "hand_exists": _("Hand {number} already exists. To change it, send a revision with a reason."),
    "entry_outdated": _(
        "This hand has changed: you have revision {yours}, the current one is {theirs}."
    ),
    "hand_repeated": _("Hand {hand} is the same as hand {other}. Dealt twice?"),
    "nothing_changed": _(
        "Hand {hand} already has this content. Change what is wrong, or leave the hand as it is."
    ),
    "not_a_photo": _("This file is not a readable picture. Choose a JPEG, PNG or WebP file."),
    "photo_too_large": _(
        "This photo is larger than {expected} MB. Take it again with a lower resolution."
    ),
    "photo_too_many_pixels": _(
        "This picture has more than {expected} million pixels. Take it again with a lower "
        "resolution."
    ),
    "too_many_photos": _(
        "This table already has {expected} photos. Ask a director to delete photos."
    ),
    "photo_is_gone": _("Photo {number} has already been deleted."),
    "nothing_to_undo": _("Hand {hand} has no earlier revision."),
    "undo_changes_nothing": _(
        "The previous revision of hand {hand} is the same, so there is nothing to undo. A "
        "director can delete the hand."
    ),
    "undo_over": _(
        "Hand {hand} can no longer be undone. Its author may undo it within {minutes} minutes, "
        "while it is unchanged and the last one entered at an open table. Correct it instead."
    ),
    "hand_undone": _(
        "Hand {hand} was undone, or moved to another table. Enter it again as a new hand."
    ),
    "hand_needed_by": _("Hand {number} would become impossible without this hand. {why}"),
    "game_is_over": _("The game at table {table} is over and cannot be reopened."),
    "sheet_is_empty": _("Nothing is entered at this table yet, so there is nothing to check."),
    "double_entry_off": _("This event does not use double entry."),
    "typed_by_you": _(
        "You made the first entry of hand {hand}. Another person has to make the second entry."
    ),
    "hand_not_typed_again": _(
        "The second entry has no hand {hand}. A director can delete the hand."
    ),
    "sheet_changed": _(
        "The sheet changed while you were checking it. Check the current sheet below."
    ),
    "totals_alone": _("A game has either its totals or single hands, not both."),
    "bad_hand_number": _("A hand cannot have the number {found}. Expected: {expected}."),
    "bad_number_of_hands": _("{found} is not a valid number of hands. Expected: {expected}."),
}

DUPLICATE: Final = {
    "unknown_board": _("There is no board with that number in this event."),
    "not_duplicate": _(
        "This event is not duplicate, so it has no boards. Turn on “Duplicate” in its settings "
        "first."
    ),
    "bad_number_of_boards": _(
        "{found} boards cannot be dealt. Enter a whole number from 1 to {most}."
    ),
    "bad_board_rounds": _("{found} cannot be used. Enter a whole number from {least} to {most}."),
    "boards_exist": _(
        "The event already has these boards: {boards}. Number the boards of the file differently."
    ),
    "deal_file_unreadable": _(
        "This file is not a deal file. Choose a PBN file or a JSON file with deals, up to 2 MB."
    ),
    "deals_needed": _("Send exactly one of count, deals and pbn."),
    "unknown_hand_records": _(
        "No deal may be shown yet. A deal is shown once every table has played it, or its round is "
        "closed."
    ),
    "unknown_deals": _(
        "The event has no deals with that commitment. The list of boards has those that it has."
    ),
    "deals_played": _(
        "Board {board} was played in hand {hand} at table {table}. Deals can be deleted only while "
        "no hand has been entered with them, deleted hands included."
    ),
    "deals_unreadable": _(
        "The cards cannot be read any more, because the server has another key. Delete these deals "
        "and make new boards."
    ),
    "printer_plays": _(
        "{player} plays in this event. Somebody who does not play prints the deals."
    ),
    "board_known_to_player": _(
        "{player} has printed the deal of board {board}, and so cannot play it. Seat somebody else "
        "for this board."
    ),
    "duplicate_has_deals": _(
        "The event has deals. Delete them under Boards before you turn off “Duplicate”."
    ),
    "board_needed": _("In a duplicate event each hand names its board. Enter the board number."),
    "board_not_expected": _("This table does not play boards. Leave the board out."),
    "no_such_board": _("The event has no board {found}. Its boards: {known}."),
    "totals_without_boards": _(
        "A sheet with totals only cannot be compared by boards. Enter the hands one by one."
    ),
    "board_not_for_table": _(
        "Boards are for tables of four with one pack of 52 cards. This table is not one."
    ),
    "board_of_another_round": _(
        "Board {board} belongs to round {expected}, and this table plays round {found}. Check the "
        "number on the board."
    ),
    "boards_fill_no_sets": _(
        "{found} boards are not {tables} sets of {each}. For {tables} tables with {each} boards in "
        "each round, {expected} boards are needed."
    ),
    "board_at_another_table": _(
        "Board {board} is at table {expected} in round {round}, and this is table {found}. Check "
        "the number on the board."
    ),
    "board_not_in_round": _(
        "Board {board} is played in rounds {first} to {last}, and this table plays round {found}. "
        "Check the number on the board."
    ),
    "board_played_at_table": _(
        "This table has already played board {board}, in hand {hand}. Check the number on the "
        "board."
    ),
    "board_played_by_player": _(
        "{player} has already played board {board}, at table {table}. Nobody plays a board twice."
    ),
}

HOUSE_RULES: Final = {
    "unknown_rules": _("No table of this event was played with rules version {found}."),
    "unknown_house_rules": _("This club has no house rules with that name."),
    "unknown_house_version": _("These house rules have no version with that number."),
    "name_of_a_variant": _("The name {found} is already used for {variant}. Choose another name."),
    "house_name_taken": _("This club already has house rules called {name}. Choose another name."),
    "name_is_a_version": _(
        "{found} ends like a version number. Choose another name: versions are numbered "
        "automatically."
    ),
    "too_many_steps": _("These are {found} steps. The maximum is {expected}."),
    "rules_file_too_large": _("The file has {found} bytes. The maximum for rules is {expected}."),
    "rules_of_another": _(
        "This file has the id {found}. A new version of these rules needs the id {expected}."
    ),
    "house_rules_moved_on": _(
        "The rules have changed: you have version {yours}, the newest is {theirs}."
    ),
    "house_rules_archived": _("{name} is archived. Unarchive it before you change it."),
    "version_unchanged": _("These rules are the same as version {number}. Change a rule first."),
    "version_in_use": _(
        "{title} is used in {events}, so it cannot be deleted. Archive the house rules instead."
    ),
}
