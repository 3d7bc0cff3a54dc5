"""Sentences about events, entrants, evenings, stages, play-offs, ladders and standings."""

from typing import Final

from django.utils.translation import gettext_noop as _

EVENTS: Final = {
    "unknown_event": _("There is no event with that name here."),
    "unknown_season": _("There is no season with that name here."),
    "event_is_final": _("The event is final. Its results cannot be disputed any more."),
    "event_not_open": _("The event is not open: {state}. Hands can be entered while it is open."),
    "ends_before_it_starts": _("The last day, {found}, is before the first one, {expected}."),
    "too_many_evenings": _(
        "From the first to the last evening there are {found}. The maximum is {expected}."
    ),
    "bad_number_of_evenings": _("{found} is not a number of evenings. Enter {expected}."),
    "day_in_two_breaks": _("{date} is in two breaks. Change one of them."),
    "too_many_breaks": _("{found} breaks were sent. The maximum is {expected}."),
    "other_number_of_evenings": _(
        "From the first to the last evening there are {expected}, not {found}. "
        "Leave the last evening or the number empty."
    ),
    "season_of_another_club": _("{event} is not an event of this club."),
    "season_goes_both_ways": _(
        "Some of these events are won by the lowest total and others by the highest. Season "
        "standings cannot combine both."
    ),
    "bad_setting": _("{key} cannot be {found}. Expected: {expected}."),
    "rounds_still_open": _("Round {round} is still in play. Close it first."),
    "evenings_still_planned": _(
        "This league has evenings ahead: {dates}. Cancel these evenings, or close the league "
        "anyway."
    ),
    "event_recounted": _("The event is being recomputed. Wait until that is done."),
    "window_not_over": _(
        "Results can be corrected until {until}. The event can be final after that."
    ),
    "disputes_open": _("Open disputes in this event: {n}. Rule on them first."),
    "event_has_hands": _("Hands have been entered, so the event cannot become a draft again."),
    "event_is_over": _("The event is {state}. Reopen it before you change its rounds."),
    "games_not_mixed": _(
        "This event ranks by raw points and its tables play {expected}. Points of {found} "
        "cannot be compared with them. Play {expected} here, or choose an event that allows "
        "different games or ranks by tables won or opponents beaten."
    ),
    "sizes_not_mixed": _(
        "This event ranks by raw points and its tables have {expected} seats. Points of a table "
        "of {found} cannot be compared with them. Seat {expected} players, or choose an event "
        "that allows different games or ranks by tables won or opponents beaten."
    ),
    "size_without_list": _(
        "This event ranks by placement points and has points for a table of {expected}, but not "
        "of {found}. Add a line for {found} to its settings, or seat another number of players."
    ),
    "settings_outdated": _(
        "The settings have changed. Check the current settings, then change them."
    ),
    "event_not_draft": _(
        "Only a draft can be deleted. Ask an owner of the club to archive this event instead."
    ),
    "event_holds_hands": _(
        "Hands have been entered in this event, so it cannot be deleted. Ask an owner of the club "
        "to archive it instead."
    ),
    "season_outdated": _(
        "The season has changed. Check its name, days, standings and events, then change it again."
    ),
    "event_outdated": _(
        "The name or the visibility of this event has changed. Check it, then change it again."
    ),
    "setting_is_played": _(
        "Hands have been entered under this setting ({key}), so it cannot change."
    ),
}

ENTRANTS: Final = {
    "unknown_entrant": _("{found} is not an entrant of this event."),
    "unknown_line": _("There is no penalty or bonus with that number in this event."),
    "bad_ledger_kind": _("{found} is not allowed. Use penalty or bonus."),
    "bad_amount": _(
        "“{found}” is not a valid amount. Enter a number above 0, for example 2, 2.5 or 5/2."
    ),
    "amount_not_exact": _(
        "{found} cannot be stored exactly. Use tenths or fractions down to fifteenths. The "
        "nearest amounts are {nearest}."
    ),
    "amount_too_large": _("{found} is too large. The maximum for one entry is {expected}."),
    "line_is_withdrawn": _("Entry {number} has already been withdrawn."),
    "unknown_sit_out": _("Not sitting out in round {round}: {found}."),
    "bad_sit_out_reason": _("{found} is not a reason to sit out. Use bye, late, left or rest."),
    "entrant_is_seated": _("Seated at table {table} in round {round}: {name}."),
    "entrant_sits_out": _(
        "Sitting out in round {round}: {name}. Remove the sit-out on the page of the round first."
    ),
    "sits_out_already": _("Already sitting out in round {round}: {name}."),
    "bad_entrant_kind": _("{found} is not a kind of entrant. Use player, pair or team."),
    "guests_of_leagues": _(
        "Only a league has guests, who are ranked in its evenings. Add the player as a member."
    ),
    "members_count": _("Players entered: {found}. Expected: {expected}."),
    "competes_already": _("{player} already competes in this event with {entrant}."),
    "entrant_has_results": _(
        "{entrant} already has a hand, a bye, a penalty or bonus, or a place in a stage, play-off "
        "or ladder of this event, so the players cannot change."
    ),
    "entrant_code_taken": _("The code {found} is already used. Choose another code."),
    "entrant_code_not_usable": _(
        "{found} cannot be used in an address. Use up to {expected} letters or digits."
    ),
    "player_alone_has_no_name": _(
        "{entrant} is a single player. Change the name in the club’s list of players."
    ),
    "ledger_in_other_units": _(
        "Penalties and bonuses are in the unit of {before}: {lines}. Withdraw them first, then "
        "add them in the unit of {wanted}."
    ),
    "unknown_opening_value": _("There is no value from before with the number {number}."),
    "opening_value_not_possible": _(
        "This event is ranked by {primary}, which takes no values from before: it is computed from "
        "the tables of the event. Rank by one of these instead: {known}."
    ),
    "opening_value_needs": _(
        "This event is ranked by {primary}. Enter the number of {needs} that the value is of."
    ),
    "evening_list_short": _(
        "Places in the list: {found}. Players on {day}: {players}, of whom {without} without "
        "points. Add places to the list, or leave it empty."
    ),
    "bye_needs_games": _(
        "A bye counts as the average of one’s own games here, and no number of games is known of "
        "{names}: the byes count nothing. Enter the values from before with their number of games."
    ),
    "opening_value_of_several_games": _(
        "The ranking leaves out single games, so each value from before must be of one game. "
        "Found: {found} games. Enter one value a game, each with its date."
    ),
    "opening_value_exists": _(
        "{entrant} already has a value from before of {date}. Withdraw it first."
    ),
    "total_beside_earlier_value": _(
        "{player} already has a value from before, of {date}. This total would count beside it, so "
        "a list that grows would count twice. Withdraw the earlier value first, or tick “Count "
        "beside earlier values”."
    ),
    "bad_opening_value": _(
        "“{found}” is not a number. Enter the total so far, for example 13, 7.5, 5/2 or -4."
    ),
    "bad_opening_count": _("{found} is not possible for {field}. Enter 0 to {expected}."),
    "opening_values_count": _("Values sent: {found}. Send 1 to {expected} at once."),
    "opening_values_in_other_units": _(
        "This event has {values} values from before in the unit of {before}. Withdraw them first, "
        "then add them in the unit of {wanted}."
    ),
    "side_is_empty": _("Enter a pair for side {side}."),
    "side_not_understood": _(
        "“{found}” is not a pair of this event. Enter the pair’s name, or both players’ names "
        "with & between them."
    ),
    "side_of_several": _("Several pairs begin with “{found}”. Choose one."),
    "team_needs_names": _(
        "{team} is a team of {n}. Enter the names of the two players with & between them."
    ),
    "side_of_two_pairs": _(
        "{names} are not a pair. If you seat them anyway, their hands do not count for a pair."
    ),
    "side_with_a_partner": _(
        "{names} are not a pair. If you seat them anyway, their hands count for {pair} and for "
        "{alone} alone."
    ),
    "side_of_singles": _(
        "{names} are not a pair. If you seat them anyway, their hands count for each player alone."
    ),
    "newcomers_without_partner": _(
        "No partner is here for {names}. If you seat the round anyway, they sit out."
    ),
    "pairs_met_before": _(
        "{names} have met before in this event. If you seat them anyway, they meet again."
    ),
    "pair_on_both_sides": _(
        "{pair} would play on both sides. If you seat them anyway, their hands do not count."
    ),
}

EVENINGS: Final = {
    "unknown_meeting": _("The event has no evening on that date."),
    "unknown_attendance": _("Nothing is recorded of {player} for this evening."),
    "excuses_not_counted": _(
        "An excused evening gives nothing in this event. Set in its settings what it gives."
    ),
    "meeting_exists": _("The event already has an evening on {date}."),
    "meeting_outdated": _(
        "Somebody changed this evening meanwhile. Look at it, and change it again."
    ),
    "bad_capacity": _(
        "{found} is not a number of places. Enter {expected}; with 0 everybody can come."
    ),
    "place_too_long": _("The place has {found} characters. The most is {expected}."),
    "meeting_has_rounds": _("The evening of {date} has a round. Delete the round first."),
    "meeting_has_attendance": _(
        "Removing the evening of {date} deletes its attendance (answers: {answers}, "
        "check-ins: {check_ins})."
    ),
    "meeting_has_adjustments": _(
        "The evening of {date} has penalties or bonuses (entries {lines}). Withdraw them first."
    ),
    "meeting_is_cancelled": _("The evening of {date} is cancelled. Plan it again first."),
    "meeting_has_begun": _(
        "The evening of {date} has begun or is over. Ask a host to change your attendance."
    ),
    "in_no_pair": _("You are in no pair of this event. Ask the director."),
    "in_no_team": _("You are in no pair or team of this event. Ask the director."),
    "places_are_taken": _("All places are taken. Ask the host, who can check you in."),
    "unknown_fill_in": _("Nobody is being asked to fill in at this evening."),
    "evening_is_seated": _(
        "The evening of {date} is over, or a round of it is posted. Add the player as a guest."
    ),
    "bad_number_wanted": _("{found} cannot be how many are missing. Expected: {expected}."),
    "fill_in_is_open": _("One more is asked for already. End that request first."),
    "fill_in_found": _("Somebody was found already. Thank you."),
    "fill_in_is_over": _("Nobody is needed any more. Thank you."),
    "comes_already": _("{player} is expected at this evening already."),
    "meeting_is_another_day": _("The evening is on {date}. Check in on that day."),
    "bad_attendance_state": _("{found} is not a state of attendance. Expected: {expected}."),
    "bad_attendance_round": _("An evening has no round {found}. Expected: {expected}."),
    "guest_may_be_known": _(
        "{found} may be a player of the club. Check in the player, or add a new guest."
    ),
    "leaves_before_coming": _(
        "A player who comes from round {first} cannot leave after round {found}."
    ),
}

STAGES: Final = {
    "table_tied": _(
        "{level} are tied at table {table}, and not all of them can go on. Create a play-off of "
        "the tied entrants, or finish it; or change how many of each table go on."
    ),
    "table_tie_open": _(
        "{level} are tied for place {place} at table {table} of round {round}, the last one that "
        "goes on. Play-off {playoff} decides: finish it, or draw the lot on its page."
    ),
    "table_tie_found": _(
        "{level} are tied for place {place} at table {table} of round {round}, the last one that "
        "goes on. Their play-off is being prepared. Try again in a few seconds."
    ),
    "wild_card_tie_open": _(
        "{level} are tied for the last wild card of round {round}. Play-off {playoff} decides: "
        "finish it, or draw the lot on its page."
    ),
    "wild_card_tie_found": _(
        "{level} are tied for the last wild card of round {round}. Their play-off is being "
        "prepared. Try again in a few seconds."
    ),
    "round_was_drawn": _(
        "Round {round} was drawn from the round before. Withdraw its posting while it has no hand, "
        "and plan it again, or keep the qualifiers."
    ),
    "round_was_played": _(
        "Hands have been entered in round {round}, so it cannot be drawn again. Keep the "
        "qualifiers."
    ),
    "wild_cards_tied": _(
        "{level} are tied in the standings for the last wild card. Create a play-off of the tied "
        "entrants, or finish it; or choose {fits} wild cards."
    ),
    "stage_without_standings": _(
        "{stage} has no standings yet: no hand of it counts, or they are still being computed."
    ),
    "evening_without_standings": _(
        "The evening of {date} has no table yet: no hand of it counts, or it is still being "
        "computed."
    ),
    "evening_without_round": _(
        "The evening of {date} has no posted round, so there is nothing to end."
    ),
    "evening_has_open_tables": _(
        "The evening of {date} cannot be closed yet. These tables are not complete: {tables}. "
        "Complete or abandon them first."
    ),
    "evening_of_ladder": _(
        "An evening of a ladder has no table: places on the ladder change with each move. Look at "
        "the moves."
    ),
    "stage_outdated": _("Somebody changed this stage meanwhile. Look at it, and change it again."),
    "unknown_movement": _("“{found}” is not a movement. Choose {expected}."),
    "bad_stage_rounds": _("“{found}” is not a valid number of rounds. Enter 1 to 99, or nothing."),
    "bad_stage_sizes": _(
        "“{found}” is not a list of table sizes. Enter different numbers from 2 to 13, for example "
        "4, 3."
    ),
    "unknown_carry": _("“{found}” cannot be carried over. Choose {expected}."),
    "unknown_takes": _("“{found}” is not one of the choices. Choose {expected}."),
    "unknown_seeding": _("“{found}” is not a seeding. Choose {expected}."),
    "bad_advance": _(
        "“{found}” does not say who goes on. Enter the best of the standings (2 to 999), or the "
        "best of each table (1 to 13) with wild cards (0 to 999)."
    ),
    "bad_each_round": _(
        "“{found}” does not say who goes on from each round. Enter the best of each table (1 to "
        "13) and wild cards (0 to 999)."
    ),
    "bad_from_round": _(
        "“{found}” is not the number of a round. Enter 1 for the first round of the knock-out, 2 "
        "for the second one, and so on."
    ),
    "bad_also_best": _(
        "“{found}” does not say how many come back from the second stage. Enter 1 to 999."
    ),
    "unknown_also_from": _(
        "Stage “{found}” is not before this one, so nobody can come back from it. Choose an "
        "earlier stage."
    ),
    "also_from_twice": _(
        "The stage takes its entrants from {stage} already. Choose another stage that some come "
        "back from."
    ),
    "also_best_too_many": _(
        "Only {most} play in {stage}, so {found} cannot come back from it. Enter a number up to "
        "{most}."
    ),
    "also_from_alone": _(
        "Choose a second stage and how many of its best come back, or leave both empty."
    ),
    "also_from_without_rule": _(
        "Some come back from a second stage only where others did not go on. Enter who goes on "
        "from {stage}, too."
    ),
    "each_round_of_knockout": _(
        "Only in a knock-out the best of each table go on from each round. Clear the field, or "
        "choose the movement Knock-out."
    ),
    "from_round_of_knockout": _(
        "Only a consolation of a knock-out takes the losers of one round. Leave the round empty, "
        "or take the losers of a knock-out."
    ),
    "stage_not_playing": _(
        "Stage {found} has not begun. Begin it on the page of the stages, or choose another stage."
    ),
    "knockout_too_few": _(
        "Players here for {stage}: {found}. Its smallest table has {least} seats. Check in more "
        "players, or change the table sizes of the stage."
    ),
    "knockout_without_results": _(
        "Nobody has a result in round {round}. Reopen the round and enter its hands or walk-overs."
    ),
    "unknown_from_stage": _("Stage “{found}” is not before this one. Choose an earlier stage."),
    "consolation_needs_from_stage": _(
        "Choose the stage whose other entrants play in this consolation."
    ),
    "consolation_takes_all": _(
        "A consolation is for everybody who did not go on. Leave the number of qualifiers empty."
    ),
    "more_than_before": _("Entrants in {stage}: {found}, so {wanted} cannot go on from it."),
    "first_stage_is_for_all": _(
        "The first stage is for all entrants. Leave out who goes on to it."
    ),
    "too_many_stages": _("An event has at most {most} stages."),
    "bad_stage_place": _("A planned stage can move to place {expected}, not to “{found}”."),
    "stage_has_rounds": _(
        "A round of {stage} was posted, so only its number of rounds can change."
    ),
    "stage_has_begun": _("{stage} has begun, so who plays in it cannot change."),
    "stage_is_source": _("{later} takes its entrants from {stage}. Change {later} first."),
    "stage_not_next": _("Begin {first} before {stage}, or change their order."),
    "winners_not_chosen": _(
        "Nobody has gone on from {stage} yet. Begin the stage for those who go on first."
    ),
    "not_in_a_knockout": _(
        "Round {round} is not part of a knock-out and has no matches of teams. Take the player out "
        "of the round under “Seating” instead."
    ),
    "walk_over_recorded": _(
        "“{found}” has given up a table of round {round} before. Reload the page."
    ),
    "no_walk_over": _("“{found}” has not given up table {table}. Choose an entrant who has."),
    "not_at_this_table": _(
        "“{found}” does not sit at table {table}. Choose an entrant who sits there."
    ),
    "nobody_goes_on": _(
        "{name} is the last one at table {table}. Somebody has to go on: leave this entrant."
    ),
    "nobody_left": _("Everybody of {stage} has gone on, so nobody is left for this stage."),
}

PLAYOFFS: Final = {
    "unknown_playoff": _("This event has no play-off with that number."),
    "playoff_waived": _("This play-off was waived. The tied entrants share the place."),
    "playoff_moved": _(
        "This table is closed. The play-off continues in round {round}. Enter the hand there."
    ),
    "playoff_by_hands": _(
        "A play-off needs single hands. A sheet with totals only cannot decide it."
    ),
    "table_place_shared": _(
        "This play-off decides who goes on from a round, so the place cannot be shared. Play it, "
        "or draw the lot."
    ),
    "playoff_not_asked": _("Play-off {playoff} needs no decision."),
    "playoffs_undecided": _(
        "Undecided play-offs: {n}. Decide or waive them before the event can be final."
    ),
    "cuts_asked": _(
        "Cuts affected by a correction: {n}. Decide them before the event can be final."
    ),
    "playoffs_looked_for": _("Ties are being checked. Try again in a few seconds."),
    "table_of_a_playoff": _(
        "Table {table} belongs to a play-off. Its state is managed by the play-off."
    ),
    "round_of_a_playoff": _(
        "Round {round} belongs to a play-off. Its state is managed by the play-off."
    ),
    "not_in_stage": _(
        "{player} has not qualified for {stage}. Only qualified entrants play in round {round}."
    ),
    "unknown_stage": _("This event has no stage with that number."),
    "bad_cut": _(
        "“{found}” is not a valid number of qualifiers. Enter a number from {least} to {most}."
    ),
    "nobody_can_qualify": _(
        "No entrant has a place in the standings yet. Play and close a round, wait until the "
        "standings are published, then try again."
    ),
    "cut_too_large": _("At most {found} can qualify, not {wanted}. Enter a smaller number."),
    "cut_round_open": _(
        "Round {round} is {state}. Close it or remove its tables before you make a cut."
    ),
    "cut_tied": _(
        "{level} are tied at the cut after place {cut}. Choose {fits} qualifiers, or plan a "
        "stage for the best {cut}: on its page you can create a play-off of the tied entrants."
    ),
    "cut_playoff_open": _(
        "Play-off {playoff} decides who goes on to {stage}. Finish it, or make it void, and begin "
        "the stage then."
    ),
    "nothing_tied": _("No tie keeps {stage} from beginning. Begin it."),
    "cut_is_not_last": _("Stage {stage} already has a cut. Undo that cut first."),
    "cut_is_played": _("Hands have been entered in {stage}, so its cut cannot change."),
    "bad_cut_answer": _("The answer for a cut affected by a correction must be {expected}."),
    "nothing_asked": _("Stage {stage} needs no decision."),
}

LADDERS: Final = {
    "unknown_ladder": _("This event is not a ladder."),
    "unknown_challenge": _("There is no challenge with that number on this ladder."),
    "unknown_absence": _("{member} has no current absence."),
    "challenger_needed": _(
        "Choose the challenger: your account does not belong to a member of this ladder."
    ),
    "challenged_needed": _("Choose the player to challenge."),
    "member_needed": _("Choose a member: your account does not belong to a member of this ladder."),
    "challenge_not_yours": _("Only {other} can do this, not {member}."),
    "result_of_a_director": _(
        "A host or director entered this result, so you cannot withdraw it. Report what is wrong: "
        "a director decides."
    ),
    "result_is_disputed": _(
        "Somebody reported this result as wrong (problem {dispute}). It can be confirmed once a "
        "director has decided, or the problem was withdrawn."
    ),
    "challenge_cancel_asked": _(
        "{member} has already asked to cancel the challenge. The other player has to agree."
    ),
    "challenge_result_missing": _("Send the result as a table or as totals."),
    "challenge_result_needed": _("Give either the table or the totals of all players."),
    "challenge_side_needed": _("Choose who postpones the game: the challenger or the challenged."),
    "challenge_game_open": _("The game at table {table} is not over, or does not count."),
    "challenge_game_taken": _("Table {table} is already the game of challenge {number}."),
    "challenge_game_exists": _(
        "The same players have the same totals at table {table}. Choose this table, so that the "
        "game counts once."
    ),
    "challenge_game_early": _(
        "Table {table} was played on {found}, before the challenge was sent on {sent}."
    ),
    "challenge_bad_day": _(
        "{found} cannot be the day of this game. The day must be from {first} to {last}."
    ),
    "absence_backdated": _(
        "{found} is in the past; today is {today}. A host can enter the absence."
    ),
    "absence_exists": _("{member} already has an absence that begins on {found}."),
}

STANDINGS: Final = {
    "unknown_publication": _("There is no publication with that number."),
    "unknown_evening_result": _("This evening has no result with that number."),
    "publication_discarded": _(
        "Publication {publication} was discarded to save space. Its digest was {digest}. The next "
        "publication that is still stored has the number {next}."
    ),
    "nothing_played_by_then": _(
        "No games were played by {asked}. The first round with a table is {first}."
    ),
    "matrix_too_large": _(
        "This event has {found} entrants, too many for one list. The maximum is {expected}. "
        "Request one entrant."
    ),
    "not_published": _("This event has no published standings yet."),
    "file_is_being_made": _("The file is being made. Try again in {seconds} seconds."),
    "too_many_rows_to_print": _(
        "The table has {found} rows. A PDF has at most {expected}. Download the XLSX or CSV file."
    ),
    "standings_behind": _("The standings are being computed. Try again in a few seconds."),
}
