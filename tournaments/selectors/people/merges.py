"""Possible duplicates among players, what depends on a merge, and requests to be erased."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import Max, Model, Q, QuerySet
from django.urls import reverse

from scoring.errors import shown
from tournaments.domain.name_matching import as_written, folded
from tournaments.domain.people.name_eraser import NameEraser
from tournaments.domain.people.public_names import erased_name
from tournaments.errors import first_or_missing
from tournaments.models.access import Contact, Invitation, PlayerClaim
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import (
    Club,
    Erasure,
    Player,
    PlayerAlias,
    PlayerMerge,
    SimilarPlayers,
)
from tournaments.models.events import Entrant, EntrantMember, Event, Season
from tournaments.models.hands import Entry
from tournaments.models.ladders import Challenge, LadderAbsence, LadderStep, StepKind
from tournaments.models.playoffs import PlayoffMember, PlayoffStep, StageEntrant, WalkOver
from tournaments.models.rounds import Attendance, Meeting, SitOut, Sitting
from tournaments.models.rules import HouseVariant
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.models.standings import LedgerLine, OpeningValue

MOST_PAIRS: Final = 20
"""Pairs that a page lists."""


def find_possible_duplicates(club: Club, player: Player | None = None) -> Sequence[list[Player]]:
    """Return pairs of players whose names may be those of one person, the most alike first.

    The second of a pair is the one to merge into the first. `player`: only pairs with this one.
    The pairs are those that the last comparison stored (services/people/compare_names.py).
    """
    rows = SimilarPlayers.objects.filter(
        *(() if player is None else [Q(player=player) | Q(other=player)]),
        club=club,
        player__merged_into=None,
        player__erased_at=None,
        other__merged_into=None,
        other__erased_at=None,
    )
    rows = rows.select_related("player", "other")
    best = rows.order_by("-likeness", "player__player_id", "other__player_id")[:MOST_PAIRS]
    return [sorted((row.player, row.other), key=attrgetter("player_id")) for row in best]


def find_likely_duplicates(club: Club, player: Player) -> Sequence[Player]:
    pairs = find_possible_duplicates(club, player)
    return [first if second == player else second for first, second in pairs]


def list_merges_into(player: Player) -> Sequence[PlayerMerge]:
    """Return the merges that gave their records to a player, the newest first."""
    rows = PlayerMerge.objects.filter(target=player, undone_at=None).select_related("source")
    return list(rows.order_by("-merged_at"))


def get_merge(club: Club, player_id: str) -> PlayerMerge:
    rows = PlayerMerge.objects.filter(club=club, source__player_id=player_id, undone_at=None)
    rows = rows.select_related("source", "target", "club")
    return first_or_missing(rows, "merge", player=shown(player_id))


_OF_ENTRANTS: Final[tuple[tuple[str, type[Model], str, tuple[str, ...]], ...]] = (
    ("penalty", LedgerLine, "entrant", ("withdrawn_reason",)),
    ("opening_value", OpeningValue, "entrant", ("withdrawn_reason",)),
    ("sit_out", SitOut, "entrant", ()),
    ("absence", LadderAbsence, "entrant", ("since", "until")),
    ("stage", StageEntrant, "entrant", ()),
    ("walk_over", WalkOver, "entrant", ()),
    ("playoff", PlayoffMember, "entrant", ("playoff__state",)),
    ("playoff", PlayoffStep, "entrant", ()),
    ("challenge", Challenge, "challenger", ("state",)),
    ("challenge", Challenge, "challenged", ("state",)),
    ("challenge", LadderStep, "entrant", ()),
)
"""Kind, rows, the column that points at the entrant, and what else makes a row another one."""


def find_dependents_of_merge(merge: PlayerMerge) -> Mapping[str, Any]:
    """Return all that depends on what a merge moved, as it is now.

    Rows by kind, and by kind and event (`hand:7`); JSON.
    """
    persons = Player.objects.filter(pk__in=(merge.source_id, merge.target_id))
    invitations = Invitation.objects.filter(player=merge.target_id)
    claims = PlayerClaim.objects.filter(player=merge.target_id)
    dependents: dict[str, Any] = {
        "account": [
            _rows(persons, "user_id", "merged_into_id", "erased_at"),
            _rows(invitations, "accepted_at", "revoked_at"),
            _rows(claims, "state"),
        ],
        "attendance": _presence(merge),
    }
    for event_id in map(int, merge.moved["events"]):
        members = EntrantMember.objects.filter(event=event_id, player=merge.target_id)
        entrant = Entrant.objects.filter(pk__in=members.values("entrant")).first()
        sittings = Sitting.objects.filter(round__event=event_id)
        sat = sittings.filter(Q(player=merge.target_id) | Q(substitute_for=merge.target_id))
        dependents[f"seat:{event_id}"] = _rows(sat, "player_id", "from_hand", "to_hand")
        dependents[f"hand:{event_id}"] = _newest_entry(merge, event_id)
        if entrant is not None:
            dependents[f"entrant:{event_id}"] = [entrant.pk, entrant.code, entrant.state]
            # The weeks of a ladder in which it lost places name an entrant by its code.
            swept = LadderStep.objects.filter(event=event_id, kind=StepKind.SWEPT).order_by("pk")
            dependents[f"week:{event_id}"] = [
                pk
                for pk, facts in swept.values_list("pk", "facts")
                if entrant.code in facts["idle"]
            ]
            for kind, model, column, more in _OF_ENTRANTS:
                rows = model._default_manager.filter(**{column: entrant.pk})
                dependents.setdefault(f"{kind}:{event_id}", []).extend(_rows(rows, *more))
    return dependents


def _presence(merge: PlayerMerge) -> list[Any]:
    moved, meetings = _split(merge, Attendance, "meeting")
    moved_constraints, events = _split(merge, SeatingConstraint, "event")
    return [
        _rows(Attendance.objects.filter(pk__in=moved), "player_id", "stated_at", "state"),
        _rows(
            SeatingConstraint.objects.filter(pk__in=moved_constraints),
            *("player_id", "other_id", "table_number"),
        ),
        _rows(Meeting.objects.filter(pk__in=meetings)),
        _rows(Event.objects.filter(pk__in=events)),
    ]


def _split(merge: PlayerMerge, model: type[Model], place: str) -> tuple[list[int], set[int]]:
    """Return the rows of a model that a merge changed, and the `place` of those it deleted."""
    steps = [step for step in merge.moved["steps"] if step["model"] == model._meta.label_lower]
    changed = [step["pk"] for step in steps if "deleted" not in step]
    return changed, {step["fields"][place] for step in steps if "deleted" in step}


def _newest_entry(merge: PlayerMerge, event_id: int) -> int:
    steps = merge.moved["steps"]
    sittings = [step["pk"] for step in steps if step["model"] == Sitting._meta.label_lower]
    entries = Entry.objects.filter(hand__game__event=event_id)
    entries = entries.filter(hand__game__table__seats__sittings__in=sittings)
    return int(entries.aggregate(newest=Max("pk"))["newest"] or 0)


def _rows(rows: Any, *columns: str) -> list[list[Any]]:
    values = rows.order_by("pk").values_list("pk", *columns)
    return [
        [value if isinstance(value, int | None) else str(value) for value in row] for row in values
    ]


def find_pending_erasure(player: Player) -> Erasure | None:
    return Erasure.objects.filter(player=player, erased_at=None, declined_at=None).first()


def list_pending_erasures(club: Club) -> Sequence[Erasure]:
    rows = Erasure.objects.filter(club=club, erased_at=None, declined_at=None)
    return list(rows.select_related("player").order_by("asked_at"))


def records_of(player: Player, rows: QuerySet[Player] | None = None) -> list[Player]:
    """Return a player and the records that were merged into it, read from `rows`."""
    records, level = [player], [player]
    while level:
        players = Player.objects.all() if rows is None else rows
        level = list(players.filter(merged_into__in=level).order_by("pk"))
        records.extend(level)
    return records


def eraser_of(player: Player) -> NameEraser:
    """Return the eraser of a person's names, but for those that others have too."""
    rows = records_of(player)
    names = {player.nickname, *(row.name for row in rows), *_own_aliases(rows)}
    if player.user_id is not None:
        names.add(User.objects.get(pk=player.user_id).get_full_name())
    for invitation in Invitation.objects.filter(player=player):
        names |= {invitation.name, invitation.email}
    contacts = Contact.objects.filter(club=player.club_id)
    own_contacts = contacts.filter(player__in=rows)
    addresses = {
        *own_contacts.values_list("email", flat=True),
        *own_contacts.values_list("new_email", flat=True),
    }
    # An address that two people share stays the other one's.
    shared = contacts.exclude(player__in=rows).filter(email__in=addresses)
    names |= addresses - {"", *shared.values_list("email", flat=True)}
    others = Player.objects.filter(club=player.club).exclude(pk__in=[row.pk for row in rows])
    other_names = list(others.values_list("name", flat=True))
    names = not_among(names, other_names) - {player.player_id}
    return NameEraser(names, erased_name(player.player_id), others=other_names)


def _own_aliases(rows: Sequence[Player]) -> list[str]:
    """Return the other names of a person that no other player of the club has as a word."""
    aliases = PlayerAlias.objects.filter(player__in=rows).values_list("name", flat=True)
    if not aliases:
        return []
    others = Player.objects.filter(club=rows[0].club_id).exclude(pk__in=[row.pk for row in rows])
    other_names = " ".join(others.values_list("name", flat=True))
    words = set(folded(other_names.replace(",", " ")).split())
    return [name for name in aliases if words.isdisjoint(folded(name).split())]


def not_among(names: Iterable[str], others: Iterable[str]) -> set[str]:
    written = set(map(as_written, others))
    return {name for name in names if as_written(name) not in written}


_NAMED: Final = {Event: "rename-event", Season: "change-season", HouseVariant: "house-rule"}
"""What keeps its name when a person in it is erased, and its page."""


def find_names_left(club: Club, eraser: NameEraser) -> list[tuple[str, str]]:
    """Return the names that an erasure keeps, each with the address of its page."""
    return [
        (name, reverse(f"tournaments:{page}", args=(club.slug, slug)))
        for model, page in _NAMED.items()
        for name, slug in model._default_manager.filter(club=club).values_list("name", "slug")
        if eraser.text(name) != name
    ]


def find_audit_lines_naming(club: Club, player: Player) -> list[int]:
    """Return the lines of the audit trail with a reason that holds a person's name.

    Somebody typed it there. The chain cannot be changed without breaking it.
    """
    eraser = eraser_of(player)
    if not eraser.search_words:
        return []
    lines = AuditLine.objects.filter(club=club, facts__has_key="reason")
    return [
        number
        for number, facts in lines.order_by("number").values_list("number", "facts")
        if eraser.json(facts) != facts
    ]
