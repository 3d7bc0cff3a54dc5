"""Code → translatable sentence → docs anchor, for the app's own codes; the scorer's stand in
`scoring.errors` and are looked up there."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from scoring.errors import Problem, one_stop, with_minus_signs
from tournaments.code_words import in_words

SENTENCES: Final[Mapping[str, str]] = {
    "forbidden": _("Your role in this club does not allow you to {act}."),
    "beyond_scope": _("This token only allows you to {scope}. It does not allow you to {act}."),
    "link_opens_nothing": _("This link does not open a table. Ask the director for a new code."),
    "bad_link_time": _("A link cannot be valid for {found} hours. The maximum is {expected}."),
    "no_role": _("{user} has no role in {club}. Assign a role first, or leave out the club."),
    "request_in_progress": _(
        "A request with this key is still being processed. Send it again in a moment."
    ),
    "unknown_club": _("There is no club with that name here."),
    "unknown_event": _("There is no event with that name here."),
    "unknown_season": _("There is no season with that name here."),
    "unknown_publication": _("There is no publication with that number."),
    "unknown_round": _("There is no round with that number in this event."),
    "unknown_table": _("There is no table with that code in this event."),
    "unknown_hand": _("There is no hand with that number at this table."),
    "unknown_player": _("There is no player with that id in this club."),
    "unknown_problem": _("There is no problem with that number in this import."),
    "unknown_rules": _("No table of this event was played with rules version {found}."),
    "unknown_ladder": _("This event is not a ladder."),
    "unknown_import": _("There is no import with that number in this event."),
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
    "unknown_dispute": _("There is no dispute with that number in this event."),
    "unknown_challenge": _("There is no challenge with that number on this ladder."),
    "unknown_absence": _("{member} has no current absence."),
    "challenger_needed": _(
        "Choose the challenger: your account does not belong to a member of this ladder."
    ),
    "member_needed": _("Choose a member: your account does not belong to a member of this ladder."),
    "challenge_not_yours": _("Only {other} can do this, not {member}."),
    "challenge_cancel_asked": _(
        "{member} has already asked to cancel the challenge. The other player has to agree."
    ),
    "challenge_result_missing": _("Send the result as a table or as totals."),
    "challenge_result_needed": _("Give either the table or the totals of all players."),
    "challenge_side_needed": _("Choose who postpones the game: the challenger or the challenged."),
    "challenge_game_open": _("The game at table {table} is not over, or does not count."),
    "challenge_game_taken": _("Table {table} is already the game of challenge {number}."),
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
    "unknown_sit_out": _("{found} does not sit out in round {round}."),
    "bad_sit_out_reason": _("{found} is not a reason to sit out. Use bye, late, left or rest."),
    "entrant_is_seated": _("{name} sits at table {table} in round {round}."),
    "entrant_sits_out": _(
        "{name} sits out in round {round}. Remove the sit-out on the page of the round first."
    ),
    "sits_out_already": _("{name} already sits out in round {round}."),
    "bad_entrant_kind": _("{found} is not a kind of entrant. Use player, pair or team."),
    "members_count": _("{found} players given, {expected} expected."),
    "competes_already": _("{player} already competes in this event with {entrant}."),
    "entrant_has_results": _(
        "{entrant} already has results in this event, so the players cannot change."
    ),
    "entrant_code_taken": _("The code {found} is already used. Choose another code."),
    "entrant_code_not_usable": _(
        "{found} cannot be used in an address. Use up to {expected} letters or digits."
    ),
    "player_alone_has_no_name": _(
        "{entrant} is a single player. Change the name in the club’s list of players."
    ),
    "dispute_exists": _("You have already reported this: dispute {number} is about hand {hand}."),
    "event_is_final": _("The event is final. Its results cannot be disputed any more."),
    "bad_ruling": _("A dispute can be upheld or rejected, not {found}."),
    "adds_up": _(
        "The total of hand {number} is correct. Save the hand instead of marking it as disputed."
    ),
    "unknown_photo": _("There is no photo with that number at this table."),
    "nothing_played_by_then": _(
        "No games were played by {asked}. The first round with a table is {first}."
    ),
    "matrix_too_large": _(
        "This event has {found} entrants, too many for one list. The maximum is {expected}. "
        "Request one entrant."
    ),
    "not_published": _("This event has no published standings yet."),
    "unknown_playoff": _("This event has no play-off with that number."),
    "playoff_waived": _("This play-off was waived. The tied entrants share the place."),
    "playoff_by_hands": _(
        "A play-off needs single hands. A sheet with totals only cannot decide it."
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
    "bad_choice": _("{field} cannot be {found}. Use one of: {known}."),
    "event_not_open": _("The event is {state}. Hands can be entered while it is open."),
    "round_not_open": _("Round {round} is {state}. A director can correct it with a reason."),
    "round_is_draft": _(
        "Round {round} is a draft. Hands can be entered after the director posts it."
    ),
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
    "hand_exists": _("Hand {number} already exists. To change it, send a revision with a reason."),
    "entry_outdated": _(
        "This hand has changed: you have revision {yours}, the current one is {theirs}."
    ),
    "idempotency_key_reused": _("This key was already used for a different request."),
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
    "reason_required": _("Enter a reason in one sentence."),
    "no_name": _("Enter a name with at least one visible letter, digit or symbol."),
    "name_too_long": _("This name has {found} characters. The maximum is {expected}."),
    "no_slug": _(
        "This name cannot be turned into an address. Enter an address with lowercase letters a "
        "to z, digits and hyphens."
    ),
    "bad_language": _("{language} is not a language of this site."),
    "line_without_name": _("Line {line} has only the id {player_id}. Add the name."),
    "line_too_long": _("Line {line}: the name has {found} characters. The maximum is {expected}."),
    "player_id_too_long": _(
        "Line {line}: the id has {found} characters. The maximum is {expected}."
    ),
    "player_id_of_another": _("Line {line}: the id {player_id} belongs to {who}."),
    "player_id_twice": _("Line {line}: the id {player_id} is already on line {other}: {who}."),
    "too_many_lines": _("The list has {found} lines. The maximum is {expected}."),
    "nobody_to_add": _("All players are already in the club. Enter at least one new name."),
    "list_changed": _("The names or the club's list have changed. Check the new preview."),
    "already_undone": _("This was already undone."),
    "unknown_roster": _("This club has no pasted list with that number."),
    "slug_taken": _("{slug} is already taken."),
    "bad_slug": _("{slug} cannot be used. Use lowercase letters, digits and hyphens."),
    "bad_time_zone": _(
        "{zone} is not a time zone. Enter a time zone such as Europe/Berlin or UTC."
    ),
    "bad_day": _("{found} is not a date. Enter a date such as 2025-10-30."),
    "ends_before_it_starts": _("The last day, {found}, is before the first one, {expected}."),
    "season_of_another_club": _("{event} is not an event of this club."),
    "season_goes_both_ways": _(
        "Some of these events are won by the lowest total and others by the highest. Season "
        "standings cannot combine both."
    ),
    "bad_setting": _("{key} cannot be {found}. Expected: {expected}."),
    "player_id_not_usable": _(
        "The player id “{found}” cannot be used in an address. Use letters or digits."
    ),
    "player_id_taken": _("The player id {player_id} is already taken in this club."),
    "player_id_is_a_code": _(
        "The id {player_id} is already the code of a pair or team of “{event}”. Choose another "
        "player id."
    ),
    "rounds_still_open": _("Round {round} is still in play. Close it first."),
    "import_waits": _(
        "Import {number} has hands for round {round} that are not imported yet. Import them, or "
        "discard the file, on its page."
    ),
    "import_running": _(
        "Import {number} is still running. Wait until it is done. If it has stopped, run it again "
        "or undo it on its page."
    ),
    "import_undoing": _("Import {number} is being undone. Wait until that is done."),
    "event_recounted": _("The event is being recomputed. Wait until that is done."),
    "undo_needs_open_event": _(
        "The event is {state}. An import is undone while its event is open: open the event again "
        "first."
    ),
    "undo_needs_director": _("Tables of this import are final. A director can undo it."),
    "undo_event_not_open": _(
        "The event is {state}, so the import was not undone or only in part. Undo it again while "
        "the event is open."
    ),
    "undo_not_allowed": _(
        "The person who asked for the undo may no longer import into this event, so the import was "
        "not undone or only in part. A host or director can undo it."
    ),
    "undo_of_final_tables": _(
        "Some tables of this import are now final, and the person who asked for the undo may "
        "not correct final tables. The import was not undone or only in part. A director can "
        "undo it."
    ),
    "import_corrects_closed": _(
        "A result of this file corrects a game of a closed round. A director may import it."
    ),
    "import_not_allowed": _(
        "The person who uploaded this file may no longer import into this event, so the import "
        "stopped. A host or director can upload it again."
    ),
    "window_not_over": _(
        "Results can be corrected until {until}. The event can be final after that."
    ),
    "disputes_open": _("Open disputes in this event: {n}. Rule on them first."),
    "nothing_to_undo": _("Hand {hand} has no earlier revision."),
    "undo_changes_nothing": _(
        "The previous revision of hand {hand} is the same, so there is nothing to undo. A "
        "director can delete the hand."
    ),
    "preview_outdated": _("The standings have changed. Check the new preview, then save."),
    "hands_disputed": _("Round {round} has a disputed hand. Resolve it first."),
    "event_has_hands": _("Hands have been entered, so the event cannot become a draft again."),
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
    "event_is_over": _("The event is {state}. Reopen it before you change its rounds."),
    "bad_round_number": _("A round cannot have the number {found}. Expected: {expected}."),
    "round_exists": _("Round {round} already exists."),
    "round_has_tables": _("Round {round} has tables. Only an empty draft can be deleted."),
    "round_has_no_table": _("Round {round} has no tables yet. Seat a table first."),
    "round_has_hands": _(
        "Hands of round {round} have been entered, so it cannot become a draft again."
    ),
    "round_is_closed": _("Round {round} is closed. Reopen it before you change its tables."),
    "games_still_open": _("Open tables in round {round}: {tables}. Close or abandon them first."),
    "table_has_hands": _(
        "Hands have been entered at table {table}, so its seats and rules cannot change. Use "
        "“Change players”, or delete the hands."
    ),
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
    "ledger_in_other_units": _(
        "Penalties and bonuses are in the unit of {before}: {lines}. Withdraw them first, then "
        "add them in the unit of {wanted}."
    ),
    "setting_is_played": _(
        "Hands have been entered under this setting ({key}), so it cannot change."
    ),
    "not_in_stage": _(
        "{player} has not qualified for {stage}. Only qualified entrants play in round {round}."
    ),
    "unknown_stage": _("This event has no stage with that number."),
    "bad_cut": _(
        "“{found}” is not a valid number of qualifiers. Enter a number from {least} to {most}."
    ),
    "cut_too_large": _("Only {found} entrants can qualify, not {wanted}. Enter a smaller number."),
    "cut_round_open": _(
        "Round {round} is {state}. Close it or remove its tables before you make a cut."
    ),
    "cut_tied": _(
        "{level} are tied at the cut after place {cut}. Choose {fits} qualifiers, or "
        "set a cut-off with a play-off in the settings and close the event."
    ),
    "standings_behind": _("The standings are being computed. Try again in a few seconds."),
    "cut_is_not_last": _("Stage {stage} already has a cut. Undo that cut first."),
    "cut_is_played": _("Hands have been entered in {stage}, so its cut cannot change."),
    "bad_cut_answer": _("The answer for a cut affected by a correction must be {expected}."),
    "nothing_asked": _("Stage {stage} needs no decision."),
    "seat_is_empty": _("Enter a player for seat {seat}."),
    "nobody_of_that_name": _("“{found}” is not on the club's list of players."),
    "one_or_several_people": _(
        "“{found}” has a comma. Is this one person, {one}, or are these {n} people?"
    ),
    "name_of_several": _("“{found}” matches several players. Choose one, or enter the id: {ids}."),
    "same_player_twice": _(
        "{player} ({player_id}) is entered twice. Choose another player for one seat."
    ),
    "table_exists": _("Table {table} is already seated."),
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
    "unknown_change": _("There is no change of players with that number at this table."),
    "side_is_empty": _("Enter a pair for side {side}."),
    "side_not_understood": _(
        "“{found}” is not a pair of this event. Enter the pair’s name, or both players’ names "
        "with & between them."
    ),
    "side_of_several": _("Several pairs begin with “{found}”. Choose one."),
    "team_needs_names": _(
        "{team} has {n} members. Enter the names of the two players with & between them."
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
    "pair_on_both_sides": _(
        "{pair} would play on both sides. If you seat them anyway, their hands do not count."
    ),
    "totals_alone": _("A game has either its totals or single hands, not both."),
    "bad_hand_number": _("A hand cannot have the number {found}. Expected: {expected}."),
    "bad_number_of_hands": _("{found} is not a valid number of hands. Expected: {expected}."),
    "player_mismatch": _(
        "The entry has {found_name} in seat {seat}, where {expected_name} sits. Nothing was saved."
    ),
    "players_needed": _("No players are seated at this table yet. Give the players in seat order."),
    "bad_players": _("Players must be a list of player ids in seat order."),
    "bad_text": _(
        "{field} must be a text of at most {most} characters without NUL characters (U+0000)."
    ),
    "unknown_member": _("There is no field {found} here. Known fields: {expected}."),
    "if_match_needed": _("Send If-Match with the ETag of the {of}, for example {example}."),
    "bad_header": _("{header} cannot be {found}. It must be {expected}."),
    "file_needed": _("Send one file of sheets in the field file."),
    "bad_flag": _("{field} must be true or false."),
    "unknown_heads": _(
        "{why} Unknown columns: {found}. Create a mapping for these columns; the club can use "
        "it again."
    ),
    "bad_mapping": _("{field} cannot be {found}. Expected: {expected}."),
    "two_columns": _("Two columns are {field}: {found}. Choose one of them."),
    "column_needed": _(
        "No column gives {says}. The columns are: {found}. Choose {right} for the right column."
    ),
    "column_gone": _("This file no longer has a column {found}."),
    "value_needed": _("The file does not give the {field}. Give one value for the whole file."),
    "mapping_name_taken": _("The club already has a mapping called {found}."),
    "unknown_house_rules": _("This club has no house rules with that name."),
    "unknown_house_version": _("These house rules have no version with that number."),
    "name_of_a_variant": _("The name {found} is already used for {variant}. Choose another name."),
    "house_name_taken": _("This club already has house rules called {name}. Choose another name."),
    "name_is_a_version": _(
        "{found} ends like a version number. Choose another name: versions are numbered "
        "automatically."
    ),
    "text_too_long": _("The {field} has {found} characters. The maximum is {expected}."),
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
    "unknown_mapping": _("This club has no mapping with that number."),
    "unreadable_file": _("{why} Nothing was saved."),
    "state_not_allowed": _("The state {state} cannot change to {wanted}."),
    "file_too_large": _("The file has {found} MB. The maximum is {expected} MB. Split the file."),
    "empty_file": _("The file is empty. Choose a file with score sheets."),
    "import_moved_on": _("Import {number} has changed. Check its current state."),
    "problem_outdated": _("The problem or the stored hand has changed. Compare both hands again."),
    "no_file_hand": _(
        "Problem {code} has no usable hand in the file. Dismiss the problem or correct its rows."
    ),
    "unknown_address": _("There is nothing at this address. The reference is at /api/v1/docs."),
    "method_not_allowed": _("This endpoint does not support {method}."),
    "not_acceptable": _(
        "This endpoint cannot return that format. Request JSON, or CSV if the address ends in .csv."
    ),
    "unsupported_media_type": _(
        "This endpoint does not accept that content type. See the reference."
    ),
    "bad_form": _("The request is not a form with a file (multipart/form-data)."),
    "bad_json": _("The request is not valid JSON: {why}"),
    "unknown_charset": _("The charset of Content-Type is not supported. Send UTF-8."),
    "nul_character": _("The {where} contains a NUL character (U+0000). Remove it."),
    "bad_request": _("The request cannot be understood."),
    "request_refused": _("The request was refused: a signed-in session needs its CSRF token."),
    "not_signed_in": _("Sign in first, or use a token that is still valid."),
    "too_large": _("The request is too large."),
    "unknown_transfer_encoding": _(
        "This server supports only the Transfer-Encoding chunked. Use it, or send a Content-Length."
    ),
    "too_slow": _(
        "The request did not arrive in time. Send it again when the connection is better."
    ),
    "too_many_requests": _("Too many requests. Try again in {seconds} s."),
    "try_again": _("The database cannot be reached at the moment. Nothing was saved. Try again."),
    "disk_full": _("The disk of the server is full. Nothing was saved."),
    "internal_error": _("Something went wrong here. The reference for it is {reference}."),
    "unknown_parameter": _("{parameter} is not a parameter here. Known parameters: {expected}."),
    "bad_parameter": _("{parameter} cannot be {found}. It must be {expected}."),
    "bad_cursor": _("This cursor does not belong to this list. Start again without a cursor."),
}
"""Code → sentence with its facts in braces."""

_WITHOUT: Final[Mapping[tuple[str, str], str]] = {
    ("bad_header", "found"): _("The header {header} is empty. Send {expected}."),
    ("bad_parameter", "found"): _("{parameter} is empty. It must be {expected}."),
    ("bad_change_of_players", "found"): _("A value is missing. Expected: {expected}."),
    ("one_or_several_people", "one"): _("“{found}” contains {n} names. Enter one name."),
}
"""Code and fact → sentence where that fact is empty, so that it cannot be quoted."""


def sentence(problem: Problem) -> str:
    """Return what to tell a person about `problem`: what is wrong, and what would be right."""
    text = SENTENCES.get(problem.code)
    if text is None:
        return problem.message
    for fact, found in problem.facts.items():
        if found == "":
            text = _WITHOUT.get((problem.code, fact), text)
    return one_stop(with_minus_signs(gettext(text).format_map(in_words(problem.facts))))


def docs_anchor(code: str) -> str:
    """Return where `docs/errors.md` explains `code`."""
    return f"docs/errors.md#{code}"
