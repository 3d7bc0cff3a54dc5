"""Notes of players about their own values in an event, and the values that they can be about."""

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.errors import first_or_missing
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.standings import ResultNote, ResultNoteState
from tournaments.policy import Actor
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events.entrants import PenaltiesAdd, ledger_rows
from tournaments.selectors.rounds.round_names import names_of_rounds, round_label
from tournaments.selectors.standings.counted_values import list_counted_values

SUM: Final = "sum"
"""In place of a value: the sum that the standings show."""
ANSWERED_FOR: Final = timedelta(days=30)
"""An answer is on the page of its reader for this time."""
MOST_RECENT: Final = 20


def list_result_notes(event: Event) -> QuerySet[ResultNote]:
    rows = ResultNote.objects.filter(event=event).select_related("player__merged_into")
    return rows.order_by("number")


def get_result_note(event: Event, number: int) -> ResultNote:
    rows = list_result_notes(event).filter(number=number)
    note = first_or_missing(rows, "result_note", number=number)
    note.event = event
    note.club = event.club
    return note


def list_notes_of_player(event: Event, player: Player) -> QuerySet[ResultNote]:
    """Return what a player wrote in an event, the newest first."""
    return list_result_notes(event).filter(_is_of(player.pk)).order_by("-number")


def list_recent_notes(players: Collection[int], *, now: datetime) -> list[tuple[ResultNote, str]]:
    """Return open notes of players, and those answered of late, with the name of each value.

    The newest first, at most `MOST_RECENT`; one query.
    """
    is_recent = Q(state=ResultNoteState.OPEN) | Q(answered_at__gt=now - ANSWERED_FOR)
    is_own = Q(player__in=players) | Q(player__merged_into__in=players)
    rows = ResultNote.objects.filter(is_own, is_recent).select_related("event__club")
    return [(note, value_name(note.about)) for note in rows.order_by("-at", "-pk")[:MOST_RECENT]]


def list_open_of_player(event: Event, player_id: int) -> QuerySet[ResultNote]:
    return list_result_notes(event).filter(_is_of(player_id), state=ResultNoteState.OPEN)


def _is_of(player_id: int) -> Q:
    """Return the condition of the notes of a player, and of records merged into it."""
    return Q(player=player_id) | Q(player__merged_into=player_id)


def find_own_entrant(actor: Actor, event: Event) -> tuple[Player, Entrant] | None:
    """Return the actor's player who competes in an event, alone or in a pair, and the entrant."""
    player = find_own_player(actor, event.club)
    if player is None:
        return None
    entrant = Entrant.objects.filter(event=event, members__player=player).first()
    return (player, entrant) if entrant is not None else None


def list_notable_values(event: Event, entrant: Entrant) -> Sequence[tuple[str, str]]:
    """Return what a note can be about, with its name and day: the sum, then each value."""
    choices = [(SUM, _("The sum in the standings"))]
    names = names_of_rounds(event)
    for value in list_counted_values(event, entrant):
        facts: dict[str, object] = {
            "table": value.table_number,
            "round": round_label(value.round_number, names),
        }
        name = _("Table %(table)s of round %(round)s")
        if value.opening_number:
            facts = {"number": value.opening_number}
            name = _("Value %(number)s from before")
        elif not value.table:
            name = _("Evening")
        told = name % facts
        if value.day is not None:
            told += f", {formats.date_format(value.day, 'j M Y')}"
        choices.append((value.key, told))
    unsigned = PenaltiesAdd(in_season=False, in_evening=False)
    for line in ledger_rows(event, penalties_add=unsigned, entrant_id=entrant.code):
        if line["state"] == "active":
            name = _("Penalty or bonus %(number)s")
            choices.append((f"line:{line['number']}", name % {"number": line["number"]}))
    return choices


def value_name(about: str) -> str:
    """Return the name of the value that a note is about, where its row may be gone.

    >>> value_name("value:3"), value_name("line:2")
    ('Value 3 from before', 'Penalty or bonus 2')
    """
    kind, _colon, key = about.partition(":")
    if kind == "table":
        return _("Table %(code)s") % {"code": key}
    if kind == "evening":
        day = formats.date_format(date.fromisoformat(key), "j M Y")
        return _("Evening of %(day)s") % {"day": day}
    if kind == "value":
        return _("Value %(number)s from before") % {"number": key}
    if kind == "line":
        return _("Penalty or bonus %(number)s") % {"number": key}
    return _("The sum in the standings")
