"""Entrants of an event and their accounts, penalties and bonuses, who sat out, and counts of
everything.

Nothing here names the author of a line, only the role.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet

from scoring.errors import shown
from scoring.json_types import JsonDict
from scoring.standings.rows import in_play_order
from tournaments.domain.event_settings import settings_of
from tournaments.domain.name_matching import sort_key
from tournaments.domain.notices import Recipients
from tournaments.errors import Missing, first_or_missing
from tournaments.models.access import TableLink
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.models.columns import as_json
from tournaments.models.events import (
    Entrant,
    EntrantKind,
    EntrantMember,
    EntrantState,
    Event,
    EventKind,
    Stage,
    StageKind,
)
from tournaments.models.hands import Dispute, DisputeState, Game, Hand
from tournaments.models.imports import BROUGHT, ImportBatch, ImportProblem, ProblemState
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.playoffs import Playoff, PlayoffMember, StageEntrant, WalkOver
from tournaments.models.rounds import (
    Attendance,
    Meeting,
    Round,
    RoundState,
    SitOut,
    SitOutReason,
    Sitting,
)
from tournaments.models.standings import (
    Change,
    Contribution,
    LedgerKind,
    LedgerLine,
    OpeningValue,
    Publication,
)
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import readable_rounds
from tournaments.selectors.clubs.names import (
    NameColumn,
    name_column,
    name_of,
    shown_entrant,
    texts_for,
)
from tournaments.selectors.events.events import listed_events, round_played

MEMBERS: Final = EntrantMember.objects.select_related("player")
WITH_PLAYERS: Final = Prefetch("members", MEMBERS)
"""Members with their players. SQLite refuses `members__player` from about 1,000 entrants on, as
Django asks for each player by an OR of their own."""


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """A line of a list: one player, two who are a pair, or a team; new players are names."""

    number: int
    players: tuple[Player | str, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class EntrantMemberRow:
    player_id: str
    name: str

    @property
    def label(self) -> str:
        return f"{self.name} ({self.player_id})"


class EntrantRow:
    """One entrant; `own_name` is empty where its players' names are shown for it.

    `visits` is on how many evenings a guest has played, also as a substitute; None of others.
    """

    def __init__(self, entrant: Entrant, column: NameColumn, visits: int | None = None) -> None:
        self.visits = visits
        self.entrant_id, self.kind, self.state = entrant.code, entrant.kind, entrant.state
        self.guest = entrant.guest
        name = entrant_name(entrant, column)
        self.name, self.own_name = name or entrant.code, name if entrant.name else ""
        self.members = tuple(
            EntrantMemberRow(member.player.player_id, name_of(member.player, column))
            for member in entrant.members.all()
        )

    @property
    def is_alone(self) -> bool:
        return self.kind == EntrantKind.PLAYER

    @property
    def label(self) -> str:
        return f"{self.name} ({self.entrant_id})"


@dataclass(frozen=True, slots=True)
class SitOutRow:
    round: int
    entrant_id: str
    name: str
    reason: str


def entrant_rows(event: Event) -> Sequence[EntrantRow]:
    """Return who competes in an event, by name; two queries, one more if somebody is a guest."""
    members = EntrantMember.objects.select_related("player").order_by("player__player_id")
    entrants = Entrant.objects.filter(event=event).prefetch_related(Prefetch("members", members))
    column = name_column(event)
    visits = {}
    if any(entrant.guest for entrant in entrants):
        guests = EntrantMember.objects.filter(event=event, entrant__guest=True)
        in_event = Q(
            player__sittings__round__event=event,
            player__sittings__seat__table__game__hands_counted__gt=0,
        )
        n_evenings = Count("player__sittings__round__meeting", filter=in_event, distinct=True)
        visits = dict(guests.values_list("entrant").annotate(n_evenings=n_evenings))
    rows = [EntrantRow(entrant, column, visits.get(entrant.pk)) for entrant in entrants]
    return tuple(sorted(rows, key=lambda row: (sort_key(row.name), row.entrant_id)))


def names_in(event: Event, column: NameColumn | None = None) -> dict[str, str]:
    """Return the names of all entrants of an event, by code; three queries."""
    entrants = list(Entrant.objects.filter(event=event).prefetch_related(WITH_PLAYERS))
    names = entrant_names(entrants, column or name_column(event))
    return {entrant.code: names[entrant.pk] or entrant.code for entrant in entrants}


def entrant_row(event: Event, entrant_id: str) -> EntrantRow:
    for row in entrant_rows(event):
        if row.entrant_id == entrant_id:
            return row
    raise Missing("entrant", {"found": entrant_id[:40]})


def get_entrant(event: Event, code: str) -> Entrant:
    entrants = Entrant.objects.filter(event=event, code=code)
    entrant = first_or_missing(entrants, "entrant", found=shown(code))
    entrant.event, entrant.club = event, event.club
    return entrant


def entrant_names(entrants: Iterable[Entrant], column: NameColumn) -> dict[int, str]:
    """Return the shown name of each entrant; its members and their players are read."""
    return {entrant.pk: entrant_name(entrant, column) for entrant in entrants}


def entrant_name(entrant: Entrant, column: NameColumn) -> str:
    """Return the shown name of one entrant; its members are read."""
    return shown_entrant(entrant.name, [member.player for member in entrant.members.all()], column)


def names_of_entrants(event: Event, codes: Collection[str]) -> dict[str, str]:
    """Return the names of entrants by code, as the reader of the event sees them.

    Three queries, none without codes.
    """
    if not codes:
        return {}
    entrants = Entrant.objects.filter(event=event, code__in=codes).prefetch_related(WITH_PLAYERS)
    column = name_column(event)
    return {entrant.code: entrant_name(entrant, column) for entrant in entrants}


def list_used(entrants: QuerySet[Entrant]) -> QuerySet[Entrant]:
    """Return the entrants on which anything hangs: a hand, a line of the ledger, an opening value,
    a bye of a posted round, a start, a challenge, a play-off, a place in a stage, a walk-over."""
    own = {"entrant": OuterRef("pk")}
    byes = SitOut.objects.filter(reason=SitOutReason.BYE, **own)
    challenges = Challenge.objects.filter(
        Q(challenger=OuterRef("pk")) | Q(challenged=OuterRef("pk"))
    )
    return entrants.filter(
        Q(start_position__isnull=False)
        | Exists(byes.exclude(round__state=RoundState.DRAFT))
        | Exists(Contribution.objects.filter(**own))
        | Exists(LedgerLine.objects.filter(**own))
        | Exists(OpeningValue.objects.filter(**own))
        | Exists(PlayoffMember.objects.filter(**own))
        | Exists(StageEntrant.objects.filter(**own))
        | Exists(WalkOver.objects.filter(**own))
        | Exists(challenges)
    )


def ranks_guests_apart(event: Event) -> bool:
    """Whether somebody who is added as a guest while an evening is entered plays for it only."""
    return event.kind == EventKind.LEAGUE and settings_of(event).guests == "evening"


def find_guests(event: Event, players: Collection[int]) -> set[int]:
    """Return the players who were added as guests of an evening, if those play for it only.

    One query, and none where they compete.
    """
    if not ranks_guests_apart(event):
        return set()
    added = Attendance.objects.filter(meeting__event=event, guest=True, player__in=players)
    return set(added.values_list("player_id", flat=True))


def are_guests(event: Event, players: Sequence[Player]) -> bool:
    """Return whether all of them are guests of the event, entered already or not; two queries.

    Somebody who was added as a guest and has become a member is none.
    """
    members = EntrantMember.objects.filter(event=event, player__in=players)
    is_guest = dict(members.values_list("player_id", "entrant__guest"))
    newcomers = [player.pk for player in players if player.pk not in is_guest]
    is_guest.update(dict.fromkeys(find_guests(event, newcomers), True))
    return all(is_guest.get(player.pk, False) for player in players)


def entered_players(event: Event) -> set[int]:
    """Return the players who are in the event, alone or in a pair or a team."""
    members = EntrantMember.objects.filter(event=event)
    return set(members.values_list("player_id", flat=True))


def has_earlier_evening(event: Event, day: date) -> bool:
    return Round.objects.filter(event=event, meeting__date__lt=day).exists()


def competitors_at(game: Game) -> Sequence[Player]:
    """Return the players at a table who compete in the event's standings, by seat."""
    seated = Player.objects.filter(
        sittings__seat__table=game.table_id,
        entries_in_events__event=game.event_id,
        entries_in_events__entrant__guest=False,
    )
    return tuple(seated.order_by("sittings__seat__number").distinct())


def find_with_results(event: Event, players: Collection[int]) -> set[int]:
    """Return the players who cannot join a pair, since what they did alone counts; one query."""
    alone = Entrant.objects.filter(event=event, kind=EntrantKind.PLAYER)
    used = list_used(alone.filter(members__player__in=players))
    return set(EntrantMember.objects.filter(entrant__in=used).values_list("player_id", flat=True))


def events_with_entrants(actor: Actor, club: Club) -> Sequence[Event]:
    """Return the newest 20 of a club's listed events that have `n_entrants` active ones."""
    active = Count("entrants", filter=Q(entrants__state=EntrantState.ACTIVE))
    events = listed_events(actor, club).annotate(n_entrants=active).filter(n_entrants__gt=0)
    return tuple(events[:20])


def recipients_of_entrants(entrant_ids: Iterable[int]) -> Recipients:
    rows = EntrantMember.objects.filter(entrant_id__in=set(entrant_ids))
    return Recipients.of(rows.values_list("player_id", "player__user_id"))


def recipients_at_table(table_id: int) -> Recipients:
    rows = Sitting.objects.filter(seat__table=table_id)
    return Recipients.of(rows.values_list("player_id", "player__user_id"))


def recipients_by_table(round_: Round) -> Mapping[int, Recipients]:
    """Return who sits now at each table of a round, by the table's row; one query."""
    rows = Sitting.objects.filter(round=round_, to_hand__isnull=True)
    rows = rows.exclude(seat__table__game__state="abandoned")
    seated = defaultdict[int, list[tuple[int, int | None]]](list)
    columns = ("seat__table_id", "player_id", "player__user_id")
    for table, player, account in rows.values_list(*columns):
        seated[table].append((player, account))
    return {table: Recipients.of(players) for table, players in seated.items()}


class PenaltiesAdd(NamedTuple):
    """Whether a penalty raises the value that ranks: in the season, and in an evening.

    They differ where evenings give points for places, and fewer of their own value are better.
    """

    in_season: bool
    in_evening: bool

    def on(self, day: date | None) -> bool:
        """Return it for a penalty of the evening of a day, or of the season."""
        return self.in_season if day is None else self.in_evening


def ledger_rows(
    event: Event, *, penalties_add: PenaltiesAdd, entrant_id: str = ""
) -> Sequence[JsonDict]:
    """Return the lines of an event by number, those of one entrant where its code is given.

    `amount` is above 0, `value` what it adds to the entrant's primary value, or to the value of the
    evening; `meeting` is the day of the evening in whose table it counts too, None for one of the
    season.
    """
    lines = LedgerLine.objects.filter(event=event)
    return _list_ledger(event, lines, penalties_add=penalties_add, entrant_id=entrant_id)


def evening_ledger(
    event: Event, meeting: Meeting, *, penalties_add: PenaltiesAdd
) -> Sequence[JsonDict]:
    """Return the lines of an evening that count, by number, as `ledger_rows` does."""
    return _list_ledger(event, adjustments_of(meeting), penalties_add=penalties_add)


def _list_ledger(
    event: Event,
    lines: QuerySet[LedgerLine],
    *,
    penalties_add: PenaltiesAdd,
    entrant_id: str = "",
) -> Sequence[JsonDict]:
    def signed(line: LedgerLine, day: date | None) -> int:
        if (line.kind == LedgerKind.PENALTY) == penalties_add.on(day):
            return line.amount
        return -line.amount

    return list_lines(
        event,
        lines.annotate(day=F("meeting__date")),
        entrant_id,
        lambda line: {
            "kind": line.kind,
            "amount": as_json(line.amount),
            "value": as_json(signed(line, line.day)),
            "meeting": line.day,
        },
    )


def list_lines(
    event: Event, rows: QuerySet[Any], entrant_id: str, figures: Callable[[Any], JsonDict]
) -> Sequence[JsonDict]:
    """Return lines of entrants by number with their `figures`; withdrawn ones have a reason."""
    rows = rows.select_related("entrant").order_by("number")
    rows = rows.prefetch_related(Prefetch("entrant__members", MEMBERS))
    lines = list(rows.filter(entrant__code=entrant_id) if entrant_id else rows)
    names = entrant_names((line.entrant for line in lines), name_column(event))
    say = texts_for(event)
    return tuple(
        {
            "number": line.number,
            "entrant_id": line.entrant.code,
            "name": names[line.entrant_id],
            **figures(line),
            "reason": say(line.reason),
            "by": line.by_as,
            "at": line.at,
            "state": "withdrawn" if line.withdrawn_at else "active",
            "withdrawn_at": line.withdrawn_at,
            "withdrawn_reason": say(line.withdrawn_reason),
            "withdrawn_by": line.withdrawn_as,
        }
        for line in lines
    )


def adjustments_of(meeting: Meeting) -> QuerySet[LedgerLine]:
    """Return the penalties and bonuses of an evening that count."""
    return LedgerLine.objects.filter(meeting=meeting, withdrawn_at=None)


def get_line(event: Event, number: int) -> LedgerLine:
    rows = LedgerLine.objects.filter(event=event, number=number).select_related("entrant")
    line = first_or_missing(rows, "line", line=number)
    line.event, line.club = event, event.club
    return line


def sit_outs_of_round(round_: Round) -> QuerySet[SitOut]:
    """Return who sits out in a round; not a team some of whose players play."""
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True).values("player_id")
    members = EntrantMember.objects.filter(event=round_.event_id, player__in=sitting)
    return SitOut.objects.filter(round=round_).exclude(entrant__in=members.values("entrant_id"))


def sit_outs_in(event: Event, round_: Round, *, with_left: bool = False) -> Sequence[SitOutRow]:
    rows = sit_outs_of_round(round_)
    if not with_left:
        rows = rows.exclude(reason=SitOutReason.LEFT)
    rows = rows.select_related("entrant").prefetch_related(Prefetch("entrant__members", MEMBERS))
    names = entrant_names((row.entrant for row in rows), name_column(event))
    sit_outs = (
        SitOutRow(round_.number, row.entrant.code, names[row.entrant_id], row.reason)
        for row in rows
    )
    return tuple(sorted(sit_outs, key=lambda row: (sort_key(row.name), row.entrant_id)))


def sit_outs_of(event: Event, entrant_id: str) -> Sequence[SitOutRow]:
    """Return the rounds in which an entrant sat out, the newest first, without names."""
    rows = SitOut.objects.filter(readable_rounds(event, "round__"), event=event)
    rows = rows.filter(entrant__code=entrant_id).select_related("round__meeting")
    newest = in_play_order(rows, lambda row: round_played(row.round))[::-1]
    return tuple(SitOutRow(row.round.number, entrant_id, "", row.reason) for row in newest)


def event_counts(event: Event, today: date) -> JsonDict:
    """Return the number of objects of each kind in an event; always 13 queries.

    `publication` is the number of the newest one, or None.
    """
    withdrawn = Q(state=EntrantState.WITHDRAWN)
    entrants = Entrant.objects.filter(event=event).aggregate(
        gone=Count("pk", filter=withdrawn),
        here=Count("pk", filter=~withdrawn),
        units=Count("pk", filter=~withdrawn & ~Q(kind=EntrantKind.PLAYER)),
    )
    is_open = Q(state=DisputeState.OPEN)
    disputes = Dispute.objects.filter(event=event).aggregate(
        open=Count("pk", filter=is_open), closed=Count("pk", filter=~is_open)
    )
    runs = Q(role__in=(Role.DIRECTOR, Role.OWNER))
    members = Membership.objects.filter(club=event.club_id).aggregate(
        all=Count("pk"), directors=Count("pk", filter=runs)
    )
    problems = ImportProblem.objects.filter(
        event=event, state=ProblemState.OPEN, batch__state__in=BROUGHT
    )
    newest = Publication.objects.filter(event=event).order_by("-number")
    links = TableLink.objects.filter(table__event=event, revoked_at__isnull=True)
    return {
        "entrants": entrants["here"],
        "units": entrants["units"],
        "withdrawn": entrants["gone"],
        "imports": ImportBatch.objects.filter(event=event).count(),
        "import_problems": problems.count(),
        "disputes_open": disputes["open"],
        "disputes_closed": disputes["closed"],
        "adjustments": LedgerLine.objects.filter(event=event, withdrawn_at__isnull=True).count(),
        "opening_values": OpeningValue.objects.filter(event=event, withdrawn_at=None).count(),
        "playoffs": Playoff.objects.filter(event=event).count(),
        "stages": Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF).count(),
        "changes": Change.objects.filter(event=event).count(),
        "links": links.count(),
        "publication": newest.values_list("number", flat=True).first(),
        "players": Player.objects.filter(club=event.club_id, merged_into=None).count(),
        "absences": LadderAbsence.objects.filter(event=event, since__lte=today)
        .exclude(until__lt=today)
        .count(),
        "directors": members["directors"],
        "members": members["all"],
    }


def contents_of(event: Event) -> tuple[int, int, int]:
    """Return how many publications, score sheets and play-offs an event has; three queries."""
    has_hands = Exists(Hand.objects.filter(game=OuterRef("pk")))
    return (
        Publication.objects.filter(event=event).count(),
        Game.objects.filter(has_hands, event=event).count(),
        Playoff.objects.filter(event=event).count(),
    )
