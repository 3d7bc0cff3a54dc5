"""Play-offs of an event as pages and REST show them: members, places at stake, standing, next step.

Takes an event from `selectors.events.events.get_event`, which checks permissions. The state of a
play-off is stored after each hand, so that a read computes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet

from scoring.entry.sheet import seat_names
from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.errors import Missing
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.playoffs import (
    LIVE,
    OVER,
    Playoff,
    PlayoffMember,
    PlayoffStep,
    is_unanswered,
    plays_at,
)
from tournaments.selectors.clubs.clubs import readable_rounds
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of, texts_for
from tournaments.selectors.events.entrants import entrant_names


@dataclass(frozen=True, slots=True)
class PlayoffMemberRow:
    """An entrant of the group, and its standing.

    `total` is its score since it last began from 0, None if it does not play now; `made` its totals
    of the legs that are over, `lot` and `gone` among them. `status` is `playing`, `above` or
    `below` (of the lines it played for), `placed` between two, or `gone`. `place` is within the
    group, from 1, once the play-off is decided.
    """

    player_id: str
    player: str
    total: str | None
    made: tuple[str, ...]
    status: str
    place: int | None


@dataclass(frozen=True, slots=True)
class PlayoffTableRow:
    """A table of the play-off: its code, its state and its round's, how many hands it has."""

    code: str
    round: int
    state: str
    is_open: bool
    hands: int
    variant: str
    fillers: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayoffStepRow:
    """A step of a play-off, in order: `hand`, `gone`, `heats`, `extended` or `lots`.

    `scores` has the scores of a hand for those who played for a place, by the member's id, None if
    it no longer counts.
    """

    number: int
    kind: str
    at: datetime
    by: str
    table: str
    hand: int | None
    player_id: str
    scores: JsonObject | None
    facts: JsonObject


@dataclass(frozen=True, slots=True)
class OpenChair:
    """A chair at an open table that is no member's, and who sits there."""

    table: str
    seat: str
    player_id: str = ""
    player: str = ""


@dataclass(frozen=True, slots=True)
class PlayoffView:
    """The current state of a play-off.

    `boundaries` are the lines it is about (`{"kind", "above", "round", "table"}`), `cuts` how many
    of the members come above each, `ahead` how many entrants are before them all. `tiers` are the
    members by standing, best first. `kind` is that of the newest leg: `fillers`, `two_hands`,
    `table`, `cancellation`, `heats`, or `lot` where no table can be had. `asked` is the open
    question as a sentence, or empty. `seed` is that of its lots. `may` is what the actor may do
    now.
    """

    number: int
    state: str
    policy: str
    boundaries: tuple[JsonObject, ...]
    cuts: tuple[int, ...]
    ahead: int
    members: tuple[PlayoffMemberRow, ...]
    tiers: tuple[tuple[str, ...], ...]
    tables: tuple[PlayoffTableRow, ...]
    kind: str
    hands_left: int | None
    is_exhausted: bool
    is_waived: bool
    is_asked: bool
    asked: str
    reason: str
    seed: str | None
    detected_at: datetime
    decided_at: datetime | None
    steps: tuple[PlayoffStepRow, ...]
    may: tuple[str, ...]
    chairs: tuple[OpenChair, ...] = ()
    """Those of neutral players at the open tables."""

    @property
    def is_live(self) -> bool:
        return self.state in LIVE and not self.is_waived

    @property
    def open_tables(self) -> tuple[PlayoffTableRow, ...]:
        return tuple(table for table in self.tables if table.is_open)


def playoffs_of(event: Event, *, may_direct: bool = False) -> tuple[PlayoffView, ...]:
    """Return the play-offs of an event by number, void ones among them; seven queries."""
    return _views(event, _rows(event), may_direct)


def get_playoff(event: Event, number: int, *, may_direct: bool = False) -> PlayoffView:
    playoff_views = _views(event, _rows(event).filter(number=number), may_direct)
    if not playoff_views:
        raise Missing("playoff", {"playoff": number})
    return playoff_views[0]


def _rows(event: Event) -> QuerySet[Playoff]:
    people = EntrantMember.objects.select_related("player")
    members = PlayoffMember.objects.select_related("entrant").order_by("entrant__code")
    steps = PlayoffStep.objects.select_related("hand__game__table", "entrant").order_by("number")
    return (
        Playoff.objects.filter(event=event)
        .select_related("stage")
        .prefetch_related(
            Prefetch("members", members),
            Prefetch("members__entrant__members", people),
            Prefetch("steps", steps),
        )
        .order_by("number")
    )


def _views(event: Event, rows: QuerySet[Playoff], may_direct: bool) -> tuple[PlayoffView, ...]:
    playoffs = list(rows)
    games: dict[int, list[Game]] = {}
    stages = [playoff.stage_id for playoff in playoffs if playoff.stage_id]
    every = Game.objects.filter(
        readable_rounds(event, "table__round__"), table__round__stage__in=stages
    )
    every = every.select_related("table__round", "snapshot").prefetch_related(
        "table__seats__sittings__player"
    )
    for game in every.order_by("table__round__number", "table__number"):
        games.setdefault(game.table.round.stage_id, []).append(game)
    is_final = event.state == "final"
    column, say = name_column(event), texts_for(event)
    for playoff in playoffs:
        playoff.reason = say(playoff.reason)
    return tuple(
        _view(playoff, games.get(playoff.stage_id or 0, []), column, may_direct, is_final=is_final)
        for playoff in playoffs
    )


def _view(
    row: Playoff, games: Sequence[Game], column: NameColumn, may_direct: bool, *, is_final: bool
) -> PlayoffView:
    stands: JsonObject = row.standing or {}
    entrants = [member.entrant for member in row.members.all()]
    by_entrant = entrant_names(entrants, column)
    names = {entrant.code: by_entrant[entrant.pk] for entrant in entrants}
    last = row.legs[-1] if row.legs else {}
    waits = row.state in LIVE and not row.is_waived
    fillers = {leg["round"]: leg.get("fillers", 0) for leg in row.legs if leg["round"]}
    chairs = _chairs(row, games, column) if waits else ()
    seeds = [str(step.facts["seed"]) for step in row.steps.all() if step.kind == "lots"]
    return PlayoffView(
        number=row.number,
        state=row.state,
        policy=row.policy,
        boundaries=tuple({"round": None, "table": None, **line} for line in row.boundaries),
        cuts=tuple(row.cuts),
        ahead=row.ahead,
        members=tuple(_members(row, names, stands)),
        tiers=tuple(tuple(tier["members"]) for tier in stands.get("tiers", ())),
        tables=tuple(_table(game, row, fillers) for game in games),
        kind=str(last.get("kind", "")),
        hands_left=_hands_left(stands) if waits else None,
        is_exhausted=waits and bool(stands.get("is_exhausted")),
        is_waived=row.is_waived,
        is_asked=is_unanswered(row.asked),
        asked=_question_text(row),
        reason=row.reason,
        seed=seeds[-1] if seeds and row.state == "by_lot" else None,
        detected_at=row.detected_at,
        decided_at=row.decided_at,
        steps=tuple(_step(step, stands) for step in row.steps.all()),
        may=_possible_actions(row, waits, chairs, is_final=is_final) if may_direct else (),
        chairs=chairs,
    )


def _chairs(row: Playoff, games: Sequence[Game], column: NameColumn) -> tuple[OpenChair, ...]:
    entrants = [member.entrant for member in row.members.all()]
    codes = {member.player_id: each.code for each in entrants for member in each.members.all()}
    chairs = []
    for game in games:
        if game.table.round.state not in ("posted", "playing"):
            continue
        table = game.table.code
        seats = sorted(game.table.seats.all(), key=lambda seat: seat.number)
        for seat, label in zip(seats, seat_names(len(seats)), strict=True):
            holder = next(
                (sitting for sitting in seat.sittings.all() if sitting.to_hand is None), None
            )
            if holder is None:
                chairs.append(OpenChair(table, label))
            elif not (code := codes.get(holder.player_id)) or not plays_at(row, table, code):
                name = name_of(holder.player, column)
                chairs.append(OpenChair(table, label, holder.player.player_id, name))
    return tuple(chairs)


def _members(row: Playoff, names: Mapping[str, str], stands: JsonObject) -> list[PlayoffMemberRow]:
    order = [tier["members"] for tier in stands.get("tiers", ())]
    order += [[code] for code in reversed(stands.get("gone", ()))]
    open_ = {tuple(tier["members"]): tier for tier in stands.get("tiers", ()) if tier["is_open"]}
    levels = order or [sorted(names)]
    playoff_member_rows: list[PlayoffMemberRow] = []
    ahead = 0
    for level in levels:
        for code in level:
            tier = open_.get(tuple(level))
            playoff_member_rows.append(
                PlayoffMemberRow(
                    player_id=code,
                    player=names.get(code, code),
                    total=str(tier["totals"].get(code, "0"))
                    if tier and row.state in LIVE
                    else None,
                    made=tuple(stands.get("made", {}).get(code, ())),
                    status=_status(row, stands, code, ahead, len(level), playing=tier is not None),
                    place=ahead + 1 if row.state in OVER else None,
                )
            )
        ahead += len(level)
    return playoff_member_rows


def _status(
    row: Playoff, stands: JsonObject, code: str, ahead: int, size: int, *, playing: bool
) -> str:
    if code in stands.get("gone", ()):
        return "gone"
    if playing or not stands:
        return "playing"
    if ahead + size <= min(row.cuts):
        return "above"
    return "below" if ahead >= max(row.cuts) else "placed"


def _table(game: Game, row: Playoff, fillers: Mapping[int, int]) -> PlayoffTableRow:
    round_ = game.table.round
    return PlayoffTableRow(
        code=game.table.code,
        round=round_.number,
        state=game.state,
        is_open=round_.state in ("posted", "playing"),
        hands=game.hands_counted,
        variant=game.snapshot.variant_name,
        fillers=fillers.get(round_.number, 0),
        members=tuple((row.standing or {}).get("boards", {}).get(game.table.code, ())),
    )


def _hands_left(stands: JsonObject) -> int | None:
    played: list[int] = [tier["hands"] for tier in stands.get("tiers", ()) if tier["is_open"]]
    if not played:
        return None
    most: int = stands["most_hands"]
    return max(0, most - max(played))


def _step(step: PlayoffStep, stands: JsonObject) -> PlayoffStepRow:
    hand = step.hand
    table = hand.game.table.code if hand is not None else ""
    scores = stands.get("hands", {}).get(str(step.number))
    # As on the sheet of the table: who is out plays on there as a neutral player.
    if scores and hand and (totals := stands.get("totals", {}).get(table)):
        scores = {code: scores[code] for code in totals.get(str(hand.number), ()) if code in scores}
    return PlayoffStepRow(
        number=step.number,
        kind=step.kind,
        at=step.at,
        by=step.by,
        table=table,
        hand=hand.number if hand is not None else None,
        player_id=step.entrant.code if step.entrant is not None else "",
        scores=scores,
        facts=step.facts,
    )


def _question_text(row: Playoff) -> str:
    if not is_unanswered(row.asked):
        return ""
    question: JsonObject = row.asked or {}
    return Problem(question["code"], facts=question["facts"]).message


def _possible_actions(
    row: Playoff, waits: bool, chairs: Sequence[OpenChair], *, is_final: bool
) -> tuple[str, ...]:
    """The possible operations of a director, most likely first.

    In a final event finished play-offs cannot change, except for open questions.
    """
    actions = []
    if waits and row.state == "detected":
        actions.append("scheduled")
    elif waits:
        actions += ["neutral"] if chairs else []
        actions += ["gone", "extend", "by_lot"] if row.state == "in_play" else ["gone", "by_lot"]
    if waits and not row.is_of_table:
        actions.append("waive")
    if is_unanswered(row.asked):
        actions.append("answer")
    if waits or (row.state != "void" and not is_final):
        actions.append("void")
    return tuple(actions)
