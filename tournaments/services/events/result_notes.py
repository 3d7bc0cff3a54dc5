"""Notes of players about their own values ("this value is wrong"), and their answers.

A note changes no result. Directors correct a value by the operation of its kind.
"""

from typing import Final

from scoring.errors import Problem, Refused, listed, shown
from tournaments.domain.notices import Recipients
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Player
from tournaments.models.events import Event, EventState
from tournaments.models.standings import ResultNote, ResultNoteState
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.standings.result_notes import (
    find_own_entrant,
    get_result_note,
    list_notable_values,
    list_open_of_player,
)
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event
from tournaments.services.notices.notifications import Message, notify_each
from tournaments.services.operations import Operation, operation

MOST_OPEN: Final = 10
"""Open notes of one person in an event."""


@operation(
    "note_own_result",
    locks=lock_event,
    refuses=("event_is_final", "too_many_result_notes", "bad_choice", *BAD_REASON),
)
def send_result_note(op: Operation, event: Event, /, *, about: str, words: str) -> ResultNote:
    """Tell the directors that a value of one's own in an event is wrong; it changes no result.

    `about` is `sum`, or a value of the player: `table:r1t1`, `value:3` (from before) or `line:2`
    (a penalty or a bonus). A person has at most 10 open notes in an event, by account and personal
    link together. The same note again is not stored twice while it is open.
    """
    own = find_own_entrant(op.actor, event)
    if own is None:
        raise Forbidden("note_own_result")
    player, entrant = own
    _require_not_erased(player)
    if event.state == EventState.FINAL:
        raise Conflict(Problem("event_is_final"))
    known = [key for key, _name in list_notable_values(event, entrant)]
    if about not in known:
        facts = {"field": "about", "found": shown(about), "known": listed(known)}
        raise Refused(Problem("bad_choice", ("about",), facts))
    require_reason(words, "words")
    open_notes = list_open_of_player(event, player.pk)
    same_note = open_notes.filter(about=about, words=words.strip()).first()
    if same_note is not None:
        return get_result_note(event, same_note.number)
    if open_notes.count() >= MOST_OPEN:
        raise Conflict(Problem("too_many_result_notes", (), {"expected": MOST_OPEN}))
    note = ResultNote.objects.create(
        club=event.club,
        event=event,
        player=player,
        number=next_number(ResultNote.objects.filter(event=event)),
        about=about,
        words=words.strip(),
        at=op.now,
    )
    op.audit(note, {"about": about})
    return note


def _require_not_erased(player: Player) -> None:
    """Lock the player's row, which an erasure holds while it deletes the person's notes."""
    rows = Player.objects.select_for_update(of=("self",), no_key=True)
    if not rows.filter(pk=player.pk, erased_at=None).exists():
        raise Forbidden("note_own_result")


@operation(
    "rule_on_disputes",
    locks=lambda note: get_result_note(lock_event(note.event), note.number),
    refuses=("unknown_result_note", "result_note_answered", *BAD_REASON),
)
def answer_result_note(
    op: Operation, note: ResultNote, /, *, answer: str, all_of_person: bool = False
) -> ResultNote:
    """Answer the note of a player, who reads the answer, and close it.

    With `all_of_person` the answer is that of all open notes of the player in the event.
    """
    if note.state != ResultNoteState.OPEN:
        raise Conflict(Problem("result_note_answered", facts={"number": note.number}))
    require_reason(answer, "answer")
    answered = [note]
    if all_of_person:
        player = note.player.merged_into or note.player
        answered += list_open_of_player(note.event, player.pk).exclude(pk=note.pk)
    role = get_role(op.actor, note.club_id)
    for row in answered:
        row.event = note.event
        row.club = note.club
        row.state = ResultNoteState.ANSWERED
        row.answer = answer.strip()
        row.answered_as = role
        row.answered_at = op.now
        row.save(update_fields=["state", "answer", "answered_as", "answered_at"])
        op.audit(row)
    _notify_player(op, note)
    return note


def _notify_player(op: Operation, note: ResultNote) -> None:
    player = note.player.merged_into or note.player
    to = Recipients.of([(player.pk, player.user_id)])
    message = Message(f"note:{note.pk}", {"note": note.pk})
    notify_each(club=note.club, kind="note_answered", messages=[(to, message)], now=op.now)
