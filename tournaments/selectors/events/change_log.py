"""An event's public change log: what was mended after it had counted, the newest first."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeAlias

from django.db.models import IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from scoring.json_types import JsonObject
from tournaments.domain.standings.counting_release import COUNTED_ANEW
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import AttendanceState
from tournaments.models.standings import Change, Publication
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.names import texts_for
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.events import get_event

OF_HANDS: Final = ("correct_hand", "void_hand", "restore_hand")
"""Kinds of change that make another result of a hand."""
PAGE: Final = 50

ATTENDANCE_KIND: Final = "attendance"
"""Kind of the lines about who is at an evening: for members only, and no change of results."""

EXCUSE_KIND: Final = "excuse"
"""Kind of a director's word on who is excused of an evening."""

SEATING_KIND: Final = "seating"
"""Kind of the lines about seats that changed before a hand; no change of results."""

ROUND_KINDS: Final = {"posted": "post_round", "closed": "close_round", "draft": "unpost_round"}
"""State that a round is taken to → kind of the line; no change of results."""

PLAN_KIND: Final = "choose_plan"
"""Kind of the lines about chosen seating plans; no change of results."""

END_KIND: Final = "end_evening"
CONTINUE_KIND: Final = "continue_evening"
"""Kinds of the lines about the end of an evening, and the rounds that continue it."""

OF_EVENINGS: Final = (
    *(ATTENDANCE_KIND, SEATING_KIND, PLAN_KIND, END_KIND, CONTINUE_KIND),
    *ROUND_KINDS.values(),
)
"""Kinds that tell an evening and change no results."""

WITHOUT_RESULTS: Final = (
    *OF_EVENINGS,
    "meeting",
    "names",
    "close_event",
    "finalise_event",
    "reopen_round",
    "challenge",
    "void_challenge",
    "turn_result",
    COUNTED_ANEW,
)
"""Kinds that change no result of a game: what is over keeps its figures after them."""

CHANGE_KIND = "change_players"
"""Kind of a change of who played."""

MOVE_KIND: Final = "move_hands"
"""Kind of hands that were given to another table, or exchanged with it."""


CheckIns: TypeAlias = tuple[int, int, Sequence[tuple[str, datetime, str]]]
"""Of an evening how many players came, guests among them, how many others said beforehand whether
they come, and each statement: id of the player, when, and the state; the oldest first."""


class ChangeLine:
    """One line of the log; `publication` is the first that holds it, None while there is none.

    A change that leaves the bytes of the standings as they are is held by the publication that has
    these bytes already; then `is_without_effect`.

    `is_there` is whether its hand still is: one that an import brought goes when that is undone.
    `sides` are the seats (from 0) of each side that has one score at its table.
    `before` and `after` are what it changed, as REST has it: entries of a hand, states, settings;
    None where nothing stood there or stands there then. `check_ins` is what the line holds of its
    evening, where it stands for several check-ins.
    """

    def __init__(self, row: Change) -> None:
        self.id, self.version, self.at = row.pk, row.version, row.at
        self.kind, self.by, self.reason = row.kind, row.by, row.reason
        self.table, self.number = row.table, row.number
        self.facts: JsonObject = row.facts
        self.publication: int | None = getattr(row, "publication", None)
        self.is_without_effect = (getattr(row, "held_at", None) or row.version) < row.version
        self.before: Any
        self.after: Any
        self.before, self.after = sides_of(row)
        self.is_there = True
        self.sides: Sequence[Sequence[int]] = ()
        self.check_ins: CheckIns | None = None

    @property
    def revision(self) -> int | None:
        revision = self.facts.get("revision")
        return revision if isinstance(revision, int) else None


def changes_of(event: Event, *, since: int = 0) -> QuerySet[Change]:
    """Return an event's changes after version `since`, the newest first, each with its
    `publication`."""
    condition = Q(version__gte=OuterRef("version")) | Q(covers__gte=OuterRef("version"))
    holding = Publication.objects.filter(condition, event=OuterRef("event"))
    first = holding.order_by("number")
    revision = Cast(KeyTextTransform("revision", OuterRef("facts")), IntegerField())
    entries = Entry.objects.filter(
        hand__game__event=OuterRef("event"),
        hand__game__table__code=OuterRef("table"),
        hand__number=OuterRef("number"),
    )
    changes = Change.objects.filter(event=event, version__gt=since)
    return changes.annotate(
        publication=Subquery(first.values("number")[:1]),
        held_at=Subquery(first.values("version")[:1]),
        typed=Subquery(entries.filter(revision=revision).values("typed")[:1]),
        typed_before=Subquery(entries.filter(revision=revision - 1).values("typed")[:1]),
    ).order_by("-id")


def sides_of(row: Change) -> tuple[object, object]:
    facts = row.facts
    entry, before = getattr(row, "typed", None), getattr(row, "typed_before", None)
    if row.kind in OF_HANDS:
        return {
            "correct_hand": (before, entry),
            "void_hand": (entry, "void"),
            "restore_hand": ("void", entry),
        }[row.kind]
    if isinstance(facts.get("settings"), dict):
        pairs = {key: value for key, value in facts["settings"].items() if len(value) == 2}
        return tuple({key: value[side] for key, value in pairs.items()} for side in (0, 1))  # type: ignore[return-value]  # two of them
    if "before" in facts and "after" in facts:
        return facts["before"], facts["after"]
    if row.kind == "withdrawn_line":
        return facts.get("amount"), None
    first = next((facts[key] for key in ("from", "old") if key in facts), None)
    return first, next((facts[key] for key in ("to", "new", "amount") if key in facts), None)


def change_rows(actor: Actor, club: str, event: str, since: int) -> RenderedRows:
    current_event = get_event(actor, club, event)
    return RenderedRows(
        _for_reader(current_event, changes_of(current_event, since=since)),
        lambda rows: _as_read(current_event, rows),
    )


def _for_reader(event: Event, rows: QuerySet[Change]) -> QuerySet[Change]:
    if may_do(event, "read_members"):
        return rows
    return rows.exclude(kind=ATTENDANCE_KIND)


def _as_read(event: Event, rows: Iterable[Change]) -> list[Change]:
    changes = list(rows)
    say = texts_for(event)
    for change in changes:
        change.reason = say(change.reason)
    return changes


def changes_between(
    event: Event, before: Publication, after: Publication
) -> tuple[ChangeLine, ...]:
    """Return the lines of the log that one publication holds and the one before it does not.

    Besides these it may hold new hands, which are no changes of what was there.
    """
    rows = changes_of(event, since=before.newest_version)
    rows = rows.filter(version__lte=after.newest_version).exclude(kind__in=OF_EVENINGS)
    lines = [ChangeLine(row) for row in _as_read(event, rows[:PAGE])]
    _set_hands(event, lines)
    return tuple(lines)


def change_page(
    event: Event, *, before: int | None = None
) -> tuple[Sequence[ChangeLine], int | None]:
    """Return a page of an event's change log, and where the next page begins (None: nowhere).

    Check-ins of an evening, and what was answered beforehand, are one line, in the place of the
    last one. A constant number of queries.
    """
    rows = _for_reader(event, changes_of(event))
    rows = rows.exclude(_CHECK_IN & ~Q(pk__in=_last_check_ins(event)))
    if before is not None:
        rows = rows.filter(id__lt=before)
    lines = [ChangeLine(row) for row in _as_read(event, rows[: PAGE + 1])]
    following = lines[PAGE - 1].id if len(lines) > PAGE else None
    _set_hands(event, lines)
    _set_check_ins(event, lines[:PAGE])
    return lines[:PAGE], following


_STATED: Final = (
    "",
    AttendanceState.EXPECTED,
    AttendanceState.ABSENT,
    AttendanceState.LATE,
    AttendanceState.WAITING,
)
"""States of who has not come yet."""
_SAID: Final = (
    AttendanceState.HERE,
    AttendanceState.EXPECTED,
    AttendanceState.ABSENT,
    AttendanceState.WAITING,
)
_CHECK_IN: Final = (
    Q(kind=ATTENDANCE_KIND, facts__from__in=_STATED)
    & Q(facts__to__in=_SAID)
    & ~Q(facts__has_any_keys=["outdated", "guest", "moved_up"])
)
"""Lines that are no story of their own: somebody came, or said whether they will."""


def find_answerer(event: Event, day: date, player: Player) -> str:
    """Return the code of the partner who gave a player's answer for an evening; "" if none did.

    That is read from the player's newest statement which counts; one query.
    """
    rows = Change.objects.filter(
        event=event,
        kind=ATTENDANCE_KIND,
        facts__player=player.player_id,
        facts__date=day.isoformat(),
    )
    counting = rows.exclude(facts__has_any_keys=["outdated", "moved_up"]).order_by("-pk")
    facts = counting.values_list("facts", flat=True).first() or {}
    return str(facts.get("answered_by", ""))


def _last_check_ins(event: Event) -> list[int]:
    rows = Change.objects.filter(_CHECK_IN, event=event).order_by()
    days = rows.annotate(day=KeyTextTransform("date", "facts")).values("day")
    return list(days.annotate(last=Max("pk")).values_list("last", flat=True))


def _set_check_ins(event: Event, lines: Sequence[ChangeLine]) -> None:
    """Set on each line of check-ins what the evening's were; a query where there is one."""
    days = {str(line.facts["date"]) for line in lines if line.kind == ATTENDANCE_KIND}
    if not days:
        return
    rows = Change.objects.filter(event=event, kind=ATTENDANCE_KIND, facts__date__in=sorted(days))
    check_ins = set(rows.filter(_CHECK_IN).values_list("pk", flat=True))
    of_days: dict[str, list[Change]] = {day: [] for day in days}
    for row in rows.order_by("pk"):
        of_days[str(row.facts["date"])].append(row)
    for line in lines:
        if line.id in check_ins:
            line.check_ins = _check_ins(of_days[str(line.facts["date"])], check_ins)


def _check_ins(rows: Sequence[Change], check_ins: Collection[int]) -> CheckIns | None:
    """Return the summary of an evening's lines; None for a single check-in."""
    stated = [row for row in rows if row.pk in check_ins]
    if len(stated) == 1:
        return None
    came: set[str] = set()
    for row in rows:
        if row.facts["to"] == AttendanceState.HERE:
            came.add(row.facts["player"])
        elif row.facts["to"] != AttendanceState.LEFT:
            came.discard(row.facts["player"])
    answered = {row.facts["player"] for row in stated} - came
    statements = [(row.facts["player"], row.at, row.facts["to"]) for row in stated]
    return len(came), len(answered), statements


def _set_hands(event: Event, lines: Sequence[ChangeLine]) -> None:
    """Set on each line whether its hand exists, and its sides; two queries if one has a hand."""
    codes = {line.table for line in lines if line.number is not None}
    if not codes:
        return
    rows = Hand.objects.filter(game__event=event, game__table__code__in=codes)
    hands = set(rows.values_list("game__table__code", "number"))
    games = Game.objects.filter(event=event, table__code__in=codes)
    teams = dict(games.values_list("table__code", "snapshot__rules__teams"))
    for line in lines:
        line.is_there = (line.table, line.number) in hands
        if (team := teams.get(line.table)) and team["mode"] == "pooled":
            line.sides = team["shape"]


def corrected_hands(event: Event, *, version: int | None = None) -> int:
    """Return how many hands of a final event were corrected since it was final; 0 of any other.

    `version` asks for those that a publication of that version holds.
    """
    if event.state != "final":
        return 0
    changes = Change.objects.filter(event=event)
    if version is not None:
        changes = changes.filter(version__lte=version)
    final = changes.filter(kind="finalise_event").order_by("-id").values_list("id", flat=True)
    since = changes.filter(id__gt=final.first() or 0)
    hands = set(since.filter(kind__in=OF_HANDS).values_list("table", "number"))
    for facts in since.filter(kind=CHANGE_KIND).values_list("facts", flat=True):
        for table, numbers in facts["played"].items():
            hands.update((table, number) for number in numbers)
    for facts in since.filter(kind=MOVE_KIND).values_list("facts", flat=True):
        hands.update((to_table, to_number) for _, _, to_table, to_number in facts["hands"])
    return len(hands)
