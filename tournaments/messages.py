"""Code → translatable sentence → docs anchor, for the app's own codes; the scorer's stand in
`scoring.errors` and are looked up there."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from scoring.errors import Problem
from tournaments.code_words import in_words

SENTENCES: Final[Mapping[str, str]] = {
    "forbidden": _("Your role in this club does not allow you to {act}."),
    "beyond_scope": _("This token is made to {scope} only; it does not allow you to {act}."),
    "link_opens_nothing": _("This link does not open a table. Ask the director for a new code."),
    "bad_link_time": _("A link cannot work for {found} hours; it may be up to {expected}."),
    "no_role": _("{user} has no role in {club}. Give them one first, or leave the club out."),
    "request_in_progress": _(
        "A request under this key is being worked on. Send it again in a moment."
    ),
    "unknown_club": _("There is no club here under that name."),
    "unknown_event": _("There is no event here under that name."),
    "unknown_season": _("There is no season here under that name."),
    "unknown_publication": _("There is no publication with that number."),
    "unknown_round": _("There is no round with that number in this event."),
    "unknown_table": _("There is no table with that code in this event."),
    "unknown_hand": _("There is no hand with that number at this table."),
    "unknown_player": _("There is no player with that id in this club."),
    "unknown_problem": _("There is no problem with that number in this import."),
    "unknown_rules": _("No table of this event was played under rules of version {found}."),
    "unknown_ladder": _("This event is no ladder."),
    "unknown_import": _("There is no import with that number in this event."),
    "unknown_entrant": _("{found} does not compete in this event."),
    "unknown_line": _("There is no penalty or bonus with that number in this event."),
    "bad_ledger_kind": _("{found} is neither a penalty nor a bonus."),
    "bad_amount": _("“{found}” is no amount. Write a number above 0, like 2, 2.5 or 5/2."),
    "amount_not_exact": _(
        "{found} cannot be counted exactly. Tenths can, and fractions down to fifteenths; the "
        "nearest are {nearest}."
    ),
    "amount_too_large": _("{found} is too much; at most {expected} goes in one line."),
    "line_is_withdrawn": _("Line {number} was withdrawn already."),
    "unknown_dispute": _("There is no dispute with that number in this event."),
    "unknown_challenge": _("There is no challenge with that number on this ladder."),
    "unknown_absence": _("{member} has told no absence that still lasts."),
    "challenger_needed": _(
        "Say who challenges: your own account belongs to nobody on this ladder."
    ),
    "member_needed": _("Say whose it is: your own account belongs to nobody on this ladder."),
    "challenge_not_yours": _("This is for {other} to do, not for {member}."),
    "challenge_cancel_asked": _(
        "{member} has asked to call it off already. Now the other one has to agree."
    ),
    "challenge_result_missing": _("Send the result: the table that was played, or its totals."),
    "challenge_result_needed": _("Give either the table that was played or everybody's totals."),
    "challenge_side_needed": _("Say who puts it off: the challenger or the challenged."),
    "challenge_game_open": _("The game at table {table} is not over, or does not count."),
    "challenge_game_taken": _("Table {table} is the game of challenge {number} already."),
    "challenge_game_early": _(
        "Table {table} was played on {found}, before the challenge was sent on {sent}."
    ),
    "challenge_bad_day": _("{found} cannot be the day of this game. It is from {first} to {last}."),
    "absence_backdated": _("{found} is over; today is {today}. A host may write it down."),
    "absence_exists": _("{member} has told an absence that begins on {found} already."),
    "unknown_sit_out": _("{found} does not sit out in round {round}."),
    "bad_sit_out_reason": _("{found} is no reason to sit out; it may be bye, late, left or rest."),
    "entrant_is_seated": _("{entrant} sits at table {table} in round {round}."),
    "entrant_sits_out": _(
        "{entrant} sits out in round {round}. Take that back first, on the page of the round."
    ),
    "sits_out_already": _("{entrant} sits out in round {round} already."),
    "bad_entrant_kind": _("{found} is no kind of entrant; it may be player, pair or team."),
    "members_count": _("These are {found} players; it takes {expected}."),
    "competes_already": _("{player} competes in this event already, with {entrant}."),
    "entrant_has_results": _(
        "{entrant} has results in this event already. They stay with who made them, so nobody is "
        "moved now."
    ),
    "entrant_code_taken": _("{found} means somebody else here. Choose another code."),
    "entrant_code_not_usable": _(
        "{found} fits into no address. Take up to {expected} letters or digits."
    ),
    "player_alone_has_no_name": _(
        "{entrant} competes alone, under the name in the club’s list of players."
    ),
    "dispute_exists": _("You said that already: dispute {number} is about hand {hand} as it is."),
    "event_is_final": _("The event is final; its results stand."),
    "bad_ruling": _("A dispute is upheld or rejected, not {found}."),
    "adds_up": _("Hand {number} adds up, so there is nothing to dispute: enter it."),
    "unknown_photo": _("There is no photo with that number at this table."),
    "nothing_played_by_then": _(
        "Nothing was played by {asked}. The first round with a table is {first}."
    ),
    "matrix_too_large": _(
        "{found} compete here, too many for one list; up to {expected} fit. Ask for one of them."
    ),
    "not_published": _("This event has no published standings yet."),
    "unknown_playoff": _("This event has no play-off with that number."),
    "playoff_waived": _("This play-off was waived: those who are level share."),
    "playoff_by_hands": _(
        "A play-off is looked at hand by hand, so that a sheet with totals only cannot decide it."
    ),
    "playoff_not_asked": _("Nothing is asked about play-off {playoff}."),
    "playoffs_undecided": _(
        "Play-offs that are neither decided nor waived, or wait for an answer: {n}. The event is "
        "final after that."
    ),
    "cuts_asked": _(
        "Cuts that a correction has asked about, and that wait for an answer: {n}. The event is "
        "final after that."
    ),
    "playoffs_looked_for": _(
        "The ties of this event are just being looked at. Try again in a moment."
    ),
    "table_of_a_playoff": _(
        "Table {table} belongs to a play-off, which makes and closes its own tables."
    ),
    "round_of_a_playoff": _(
        "Round {round} belongs to a play-off, which opens and closes its own rounds."
    ),
    "bad_choice": _("{field} cannot be {found}. It is one of: {known}."),
    "event_not_open": _("The event is {state}; hands are entered while it is open."),
    "round_not_open": _(
        "Round {round} is {state}. A director may still correct it, with a reason."
    ),
    "round_is_draft": _(
        "Round {round} is a draft. Its tables take hands once the director has posted it."
    ),
    "table_abandoned": _("Table {number} was abandoned and takes no hands. Ask the director."),
    "table_is_left": _(
        "Table {table} has no players any more, so hand {number} cannot be entered there. Enter "
        "it at the table of the round where its players sit now, or seat them at a new one."
    ),
    "players_sit_elsewhere": _(
        "Hand {number} cannot be restored: {player} sits at table {table_number} of this "
        "round now, and plays at one table a round. Change the seats of table {table_number} "
        "first, or leave the hand deleted."
    ),
    "hand_exists": _(
        "Hand {number} is there already. To change it, send a revision with a reason."
    ),
    "entry_outdated": _(
        "Somebody changed this hand meanwhile: you looked at revision {yours}, it is at {theirs}."
    ),
    "idempotency_key_reused": _("This key was used before, for something else."),
    "not_a_photo": _(
        "This is no picture that can be read. Take a JPEG, PNG or WebP; a phone’s camera makes one."
    ),
    "photo_too_large": _(
        "This photo is larger than {expected} MB. Take it again with a lower resolution."
    ),
    "photo_too_many_pixels": _(
        "This picture has more than {expected} million pixels. Take it again with a lower "
        "resolution."
    ),
    "too_many_photos": _(
        "This table has {expected} photos already. A director takes away what is not needed."
    ),
    "photo_is_gone": _("Photo {number} was taken away already."),
    "reason_required": _("This needs a reason, one sentence."),
    "no_name": _("A name is missing. It needs a letter, digit or symbol that can be seen."),
    "name_too_long": _("This name has {found} letters; at most {expected} fit."),
    "no_slug": _(
        "No address can be made from this name. Write one: small letters a to z, digits, hyphens."
    ),
    "bad_language": _("{language} is no language that this site knows."),
    "line_without_name": _("Line {line}: only the id {player_id} stands there. Add the name."),
    "line_too_long": _("Line {line}: the name has {found} letters; at most {expected} fit."),
    "player_id_too_long": _("Line {line}: the id has {found} letters; at most {expected} fit."),
    "player_id_of_another": _("Line {line}: the id {player_id} belongs to {who}."),
    "player_id_twice": _("Line {line}: the id {player_id} stands on line {other} already: {who}."),
    "too_many_lines": _("These are {found} lines; at most {expected} go in at once."),
    "nobody_to_add": _("Nobody is left to add: write at least one name that is not there yet."),
    "list_changed": _(
        "The names or the club's list changed since you looked. Look at what would be added now."
    ),
    "already_undone": _("This was taken back already."),
    "unknown_roster": _("This club has no pasted list under that number."),
    "slug_taken": _("{slug} is taken already."),
    "bad_slug": _("{slug} cannot be used: small letters, digits and hyphens only."),
    "bad_time_zone": _("{zone} is not a time zone. Write it like Europe/Berlin, or UTC."),
    "bad_day": _("{found} is no day. Write it as in 2025-10-30."),
    "ends_before_it_starts": _("The last day, {found}, is before the first one, {expected}."),
    "season_of_another_club": _("{event} is no event of this club."),
    "season_goes_both_ways": _(
        "In some of these events the smaller total wins and in others the larger one; one table "
        "of points cannot hold both."
    ),
    "bad_setting": _("{key} cannot be {found}; it may be {expected}."),
    "player_id_not_usable": _(
        "The player id “{found}” fits into no address. Take letters or digits."
    ),
    "player_id_taken": _("The player id {player_id} is taken already in this club."),
    "player_id_is_a_code": _(
        "The id {player_id} is the code of a pair or team of “{event}” already. Choose another "
        "player id."
    ),
    "rounds_still_open": _("Round {round} is still being played; close it first."),
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
        "Tables of this import are final by now, and the person who asked for the undo may not "
        "correct final tables. So the import was not undone or only in part. A director can undo "
        "it."
    ),
    "import_corrects_closed": _(
        "A result of this file corrects a game of a closed round. A director may import it."
    ),
    "import_not_allowed": _(
        "The person who uploaded this file may no longer import into this event, so the import "
        "stopped. A host or director can upload it again."
    ),
    "window_not_over": _(
        "Results may be corrected until {until}; only then can the event be final."
    ),
    "disputes_open": _("Disputes still open in this event: {n}. Rule on them first."),
    "nothing_to_undo": _("Hand {hand} has no earlier revision to go back to."),
    "undo_changes_nothing": _(
        "The revision before says the same of hand {hand}: there is nothing to take back. A "
        "director can make it void."
    ),
    "preview_outdated": _(
        "The standings changed since you looked: look again at what this changes, then save it."
    ),
    "hands_disputed": _("Round {round} has a hand that is disputed; settle it first."),
    "event_has_hands": _("Hands are entered already, so the event cannot become a draft again."),
    "hand_needed_by": _("Hand {number} could not stand without this one. {why}"),
    "game_is_over": _("The game at table {table} is at its end; there is nothing to go on with."),
    "sheet_is_empty": _("Nothing is entered at this table yet, so nothing can be read back."),
    "double_entry_off": _("Sheets of this event are not typed twice."),
    "typed_by_you": _("You entered hand {hand}; somebody else types it again."),
    "hand_not_typed_again": _(
        "The second sheet has no hand {hand}. To take it away, a director makes it void."
    ),
    "sheet_changed": _(
        "The sheet changed while you read it back. It stands below as it is now; compare it again."
    ),
    "event_is_over": _("The event is {state}; open it again before you change its rounds."),
    "bad_round_number": _("A round cannot have the number {found}; it may be {expected}."),
    "round_exists": _("There is a round {round} already."),
    "round_has_tables": _("Round {round} has tables; only an empty draft is taken away."),
    "round_has_no_table": _("Round {round} has no table yet; seat one first."),
    "round_has_hands": _("Hands of round {round} are entered already; it cannot be a draft again."),
    "round_is_closed": _("Round {round} is closed; open it again before you change its tables."),
    "games_still_open": _("Still open in round {round}: table {tables}. Close or abandon first."),
    "table_has_hands": _(
        "Hands are entered at table {table}, so its seats and its rules stay. Change who played "
        "there, or delete the hands."
    ),
    "games_not_mixed": _(
        "This event ranks by raw points and its tables play {expected}; those of {found} do not "
        "compare with them. Play {expected} here, or take an event whose games may mix, or one "
        "that ranks by tables won or opponents beaten."
    ),
    "sizes_not_mixed": _(
        "This event ranks by raw points and its tables have {expected} seats; those of a table "
        "of {found} do not compare with them. Seat {expected}, or take an event whose games may "
        "mix, or one that ranks by tables won or opponents beaten."
    ),
    "size_without_list": _(
        "This event ranks by placement points and says what the places at a table of {expected} "
        "are worth, but not of {found}. Add a line for {found} to its settings, or seat otherwise."
    ),
    "settings_outdated": _(
        "Somebody changed the settings meanwhile. Look at them as they are now, and change them "
        "then."
    ),
    "ledger_in_other_units": _(
        "Penalties and bonuses stand in the unit of {before}: {lines}. Withdraw them first, and "
        "give them anew in the unit of {wanted}."
    ),
    "setting_is_played": _(
        "Hands were entered already, and tables played by this ({key}); it stays as it is."
    ),
    "not_in_stage": _(
        "{player} did not go on: round {round} belongs to {stage}, and only those who went on "
        "play there."
    ),
    "unknown_stage": _("This event has no cut that made a stage of that number."),
    "bad_cut": _("“{found}” cannot go on; write how many, from {least} to {most}."),
    "cut_too_large": _("Only {found} can go on, so not {wanted}. Take a smaller number."),
    "cut_round_open": _(
        "Round {round} is {state}. Close it, or take its tables away, before the best go on."
    ),
    "cut_tied": _(
        "{level} are level, and the line after {cut} runs through them. Let {fits} go on; or make "
        "it a place that matters in the settings and close the event, so that they play it off."
    ),
    "standings_behind": _(
        "The standings are being worked out, and who goes on is read from them. Ask again in a "
        "few seconds."
    ),
    "cut_is_not_last": _("Others went on from stage {stage} already. Take that cut back first."),
    "cut_is_played": _("Hands were entered in {stage} already; who went on to it stays."),
    "bad_cut_answer": _("A cut that a correction would change is answered by {expected}."),
    "nothing_asked": _("No correction has asked anything about stage {stage}."),
    "seat_is_empty": _("Nobody is written for seat {seat}."),
    "nobody_of_that_name": _("Nobody on the club's list is called “{found}”."),
    "one_or_several_people": _(
        "“{found}” has a comma. Is this one person, {one}, or are these {n} people?"
    ),
    "name_of_several": _("“{found}” may be several players. Choose one, or write the id: {ids}."),
    "same_player_twice": _("{player} ({player_id}) is named twice. Choose somebody else for one."),
    "table_exists": _("Table {table} is seated already."),
    "player_already_seated": _(
        "{player} sits at table {table} of this round. Swap the two, or free table {table} first."
    ),
    "player_sits_here": _("{player} sits at this table already, in seat {seat}. Swap the two."),
    "same_person": _("{player} sits in this seat already. Choose somebody else."),
    "nobody_to_swap": _(
        "{player} sits at no table of round {round}, so there is nobody to swap with. Replace the "
        "player instead."
    ),
    "nobody_named": _("Write who plays there."),
    "nobody_in_seat": _("Nobody sits in seat {seat} of table {table}. Seat the table first."),
    "unknown_seat_number": _("This table has no seat {found}. It has seats {expected}."),
    "bad_from_hand": _("{found} is not a hand to begin at. It may be {expected}."),
    "bad_change_of_players": _("“{found}” is not known here. It may be {expected}."),
    "totals_not_divided": _(
        "Table {table} has totals only, and nobody knows who scored what of them. Let the scores "
        "stay with the seat from hand 1, or delete the totals."
    ),
    "scores_of_a_side": _(
        "The points were entered for a whole side, so they cannot follow one player to another "
        "side. Let the scores stay with the seats, or delete the hands."
    ),
    "hand_refuses_seats": _(
        "Hand {number} of table {table} could not stand with its scores at other seats. {why}"
    ),
    "player_in_two_seats": _(
        "{player} would sit in seats {seats} of table {table} for the same hand. Change who plays "
        "in the other seat first, or choose somebody else."
    ),
    "challenge_needs_players": _(
        "Table {table} is the game of challenge {number}: both who play it have to sit there."
    ),
    "seating_outdated": _(
        "Somebody changed table {table} meanwhile: its players or its hands. Look at it again."
    ),
    "seats_moved_on": _(
        "The players of table {table} changed again since. Undo the later change first."
    ),
    "unknown_change": _("There is no change of players with that number at this table."),
    "side_is_empty": _("No pair is written for side {side}."),
    "side_not_understood": _(
        "“{found}” is not a pair of this event. Write the pair’s name, or the names of both "
        "players with & between them."
    ),
    "side_of_several": _("Several pairs begin with “{found}”. Choose one."),
    "team_needs_names": _(
        "{team} has {n} members. Write the names of the two who play, with & between them."
    ),
    "side_of_two_pairs": _(
        "{names} are not a pair. If they are seated all the same, their hands count for no pair."
    ),
    "side_with_a_partner": _(
        "{names} are not a pair. If they are seated all the same, their hands count for {pair}, "
        "and for {alone} alone."
    ),
    "side_of_singles": _(
        "{names} are not a pair. If they are seated all the same, their hands count for each of "
        "them alone."
    ),
    "pair_on_both_sides": _(
        "{pair} would play on both sides. If they are seated so, their hands count for nobody."
    ),
    "totals_alone": _(
        "The totals of a whole game stand alone: the game takes no hand beside them."
    ),
    "bad_hand_number": _("A hand cannot have the number {found}; it may be {expected}."),
    "bad_number_of_hands": _("{found} is no number of hands; it may be {expected}."),
    "player_mismatch": _(
        "Seat {seat} is taken by {expected}, but the entry names {found}. Nothing was saved."
    ),
    "players_needed": _("Nobody is seated at this table yet. Say who played, in seat order."),
    "bad_players": _("Players are a list of player ids, in seat order."),
    "bad_text": _("{field} must be a text of at most {most} characters."),
    "unknown_member": _("There is no field called {found} here; known: {expected}."),
    "if_match_needed": _(
        "Say what you looked at: If-Match with the ETag of the {of}, as in {example}."
    ),
    "bad_header": _("{header} cannot be {found}; it must be {expected}."),
    "file_needed": _("Send one file of sheets as file."),
    "bad_flag": _("{field} is true or false."),
    "unknown_heads": _(
        "{why} Not understood: {found}. Say once what the columns are; the club keeps it as a "
        "mapping."
    ),
    "bad_mapping": _("{field} cannot be {found}; it may be {expected}."),
    "two_columns": _("Two columns are {field}: {found}. Choose one of them."),
    "column_needed": _(
        "No column says {says}. The columns are: {found}. Choose {right} for the one that does."
    ),
    "column_gone": _("There is no column {found} in this file any more."),
    "value_needed": _("Nothing says which {field} this file is. Give it once for all of it."),
    "mapping_name_taken": _("The club keeps a mapping called {found} already."),
    "unknown_house_rules": _("This club has no house rules under that name."),
    "unknown_house_version": _("These house rules have no version with that number."),
    "name_of_a_variant": _("{found} is taken: it means {variant}. Choose another name."),
    "house_name_taken": _("This club has house rules called {name} already. Choose another name."),
    "name_is_a_version": _(
        "{found} ends like the number of a version; versions are numbered by themselves."
    ),
    "text_too_long": _("The {field} has {found} letters; at most {expected} fit."),
    "rules_file_too_large": _("The file has {found} bytes; rules take at most {expected}."),
    "rules_of_another": _(
        "This file holds {found}; a new version of these rules has the id {expected}."
    ),
    "house_rules_moved_on": _(
        "Somebody made version {theirs} meanwhile; you looked at version {yours}."
    ),
    "house_rules_archived": _("{name} is archived; restore it before you change it."),
    "version_unchanged": _("This is what version {number} says already. Change something first."),
    "version_in_use": _(
        "{title} is played in {events}, so it cannot be deleted. Archive the house rules instead."
    ),
    "unknown_mapping": _("This club keeps no mapping under that number."),
    "unreadable_file": _("{why} Nothing was written."),
    "state_not_allowed": _("From {state} this cannot become {wanted}."),
    "file_too_large": _("The file has {found} MB; a page takes {expected} MB. Cut it in parts."),
    "empty_file": _("The file is empty. Choose one that holds sheets."),
    "import_moved_on": _("Import {number} has moved on meanwhile. Look at it as it is now."),
    "problem_outdated": _(
        "The problem, or the stored hand, changed since you looked. Look at both hands again."
    ),
    "no_file_hand": _(
        "Problem {code} has no hand of the file that could be used; dismiss it, or correct its "
        "rows."
    ),
    "unknown_address": _("There is nothing at this address. The reference is at /api/v1/docs."),
    "method_not_allowed": _("This address does not answer {method}."),
    "not_acceptable": _("This address has no such form; ask for JSON, or CSV where it ends so."),
    "unsupported_media_type": _(
        "This address does not read that content type; the reference says which."
    ),
    "bad_form": _("What was sent is no form with a file (multipart/form-data)."),
    "bad_json": _("What was sent is not JSON: {why}"),
    "unknown_charset": _("Content-Type names a charset that cannot be read. Send UTF-8."),
    "nul_character": _("The {where} contains a NUL character (U+0000). Send it without."),
    "bad_request": _("The request cannot be understood."),
    "request_refused": _("The request was refused: a signed-in session needs its CSRF token."),
    "not_signed_in": _("Sign in first, or use a token that is still valid."),
    "too_large": _("What was sent is too large."),
    "unknown_transfer_encoding": _(
        "This server reads no Transfer-Encoding but chunked. Send it so, or with a Content-Length."
    ),
    "too_slow": _(
        "The request did not arrive in time. Send it again when the connection is better."
    ),
    "too_many_requests": _("Too many requests. Try again in {seconds} s."),
    "try_again": _("The database cannot be reached at the moment. Nothing was saved; try again."),
    "disk_full": _("The server has no room left. Nothing was saved."),
    "internal_error": _("Something went wrong here. The reference for it is {reference}."),
    "unknown_parameter": _("{parameter} is not known here; known: {expected}."),
    "bad_parameter": _("{parameter} cannot be {found}; it must be {expected}."),
    "bad_cursor": _("This cursor is not from this list. Start again without it."),
}
"""Code → sentence with its facts in braces."""


def sentence(problem: Problem) -> str:
    """Return what to tell a person about `problem`: what is wrong, and what would be right."""
    text = SENTENCES.get(problem.code)
    if text is None:
        return problem.message
    return gettext(text).format_map(in_words(problem.facts))


def docs_anchor(code: str) -> str:
    """Return where `docs/errors.md` explains `code`."""
    return f"docs/errors.md#{code}"
