"""Play-offs of an event as pages and REST show them, and what they decided.

Takes an event from `selectors.events.events.get_event`, which checks permissions. The state of a
play-off is stored after each hand, so that a read computes nothing.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from scoring.entry.sheet import seat_names
from scoring.errors import Problem, listed
from scoring.json_types import JsonDict, JsonObject
from scoring.playoffs.boundaries import ranks
from scoring.standings.tie_breaks import PlayedOff
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
class PlayoffView:
    """The current state of a play-off.

    `boundaries` are the lines it is about (`{"kind", "above", "round", "table"}`), `cuts` how many
    of the members come above each, `ahead` how many entrants are before them all. `tiers` are the
    members by standing, best first. `kind` is that of the newest leg: `fillers`, `two_hands`,
    `table`, `cancellation`, `heats`, or `lot` where no table can be had. `asked` is the open
    question as a sentence, or empty. `seed` is that of its lots. `may` is what the actor may do
    now. `tables`, `steps` and `chairs` (of neutral players, at open tables) are as `_table`,
    `_step` and `_chairs` give them.
    """

    number: int
    state: str
    policy: str
    boundaries: tuple[JsonObject, ...]
    cuts: tuple[int, ...]
    ahead: int
    members: tuple[PlayoffMemberRow, ...]
    tiers: tuple[tuple[str, ...], ...]
    tables: tuple[JsonDict, ...]
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
    steps: tuple[JsonDict, ...]
    may: tuple[str, ...]
    chairs: tuple[JsonDict, ...]

    @property
    def is_live(self) -> bool:
        return self.state in LIVE and not self.is_waived

    @property
    def open_tables(self) -> tuple[JsonDict, ...]:
        return tuple(table for table in self.tables if table["is_open"])


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
    column = name_column(event)
    say = texts_for(event)
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


def _chairs(row: Playoff, games: Sequence[Game], column: NameColumn) -> tuple[JsonDict, ...]:
    """Return the chairs at open tables that are no member's, each with who sits there."""
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
            code = codes.get(holder.player_id) if holder is not None else None
            if code is None or not plays_at(row, table, code):
                player_id = holder.player.player_id if holder is not None else ""
                name = name_of(holder.player, column) if holder is not None else ""
                chairs.append(
                    {"table": table, "seat": label, "player_id": player_id, "player": name}
                )
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


def _table(game: Game, row: Playoff, fillers: Mapping[int, int]) -> JsonDict:
    round_ = game.table.round
    return {
        "code": game.table.code,
        "round": round_.number,
        "state": game.state,
        "is_open": round_.state in ("posted", "playing"),
        "hands": game.hands_counted,
        "variant": game.snapshot.variant_name,
        "fillers": fillers.get(round_.number, 0),
        "members": tuple((row.standing or {}).get("boards", {}).get(game.table.code, ())),
    }


def _hands_left(stands: JsonObject) -> int | None:
    played: list[int] = [tier["hands"] for tier in stands.get("tiers", ()) if tier["is_open"]]
    if not played:
        return None
    most: int = stands["most_hands"]
    return max(0, most - max(played))


def _step(step: PlayoffStep, stands: JsonObject) -> JsonDict:
    """Return a step; `scores` are those of a hand by member, None if it no longer counts."""
    hand = step.hand
    table = hand.game.table.code if hand is not None else ""
    scores = stands.get("hands", {}).get(str(step.number))
    # As on the sheet of the table: who is out plays on there as a neutral player.
    if scores and hand and (totals := stands.get("totals", {}).get(table)):
        scores = {code: scores[code] for code in totals.get(str(hand.number), ()) if code in scores}
    return {
        "number": step.number,
        "kind": step.kind,
        "at": step.at,
        "by": step.by,
        "table": table,
        "hand": hand.number if hand is not None else None,
        "player_id": step.entrant.code if step.entrant is not None else "",
        "scores": scores,
        "facts": step.facts,
    }


def _question_text(row: Playoff) -> str:
    if not is_unanswered(row.asked):
        return ""
    question: JsonObject = row.asked or {}
    return Problem(question["code"], facts=question["facts"]).message


def _possible_actions(
    row: Playoff, waits: bool, chairs: Sequence[JsonDict], *, is_final: bool
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


@dataclass(frozen=True, slots=True)
class DecidedTie:
    """A tie that decided who goes on from a round; `table` is None for its last wild card.

    `order` has the members, best first; `by_lot` those placed by lot. `text` describes it.
    """

    playoff: int
    round: int
    table: int | None
    order: tuple[tuple[str, ...], ...]
    by_lot: frozenset[str]
    text: str

    def out_by(self, on: AbstractSet[str]) -> dict[str, str]:
        """Return what eliminated those who did not go `on`: `playoff` or `lot`."""
        best = next((at for at, tier in enumerate(self.order) if on & {*tier}), len(self.order))
        out = [code for tier in self.order[best + 1 :] for code in tier]
        return {code: "lot" if code in self.by_lot else "playoff" for code in out}


def list_decided_ties(event: Event, names: Mapping[str, str]) -> tuple[DecidedTie, ...]:
    """Return the ties of rounds that are decided, with `names` in their texts; one query."""
    over = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    rows = over.order_by("number").values_list("number", "boundaries", "result")
    return tuple(
        _decided(number, line, result or {}, names)
        for number, lines, result in rows
        for line in lines
        if "round" in line
    )


def _decided(
    number: int, line: JsonObject, result: JsonObject, names: Mapping[str, str]
) -> DecidedTie:
    order = tuple(map(tuple, result["order"]))
    table = line.get("table")
    by_lot = frozenset(code for code, totals in result["made"].items() if "lot" in totals)
    how = _("by play-off %(number)s and lot") if by_lot else _("by play-off %(number)s")
    facts = {
        "where": _("Table %(number)s") % {"number": table} if table else _("Last wild card"),
        "order": _(" before ").join(
            listed(names.get(member, member) for member in tier) for tier in order
        ),
        "how": _("drawn by lot") if by_lot >= {*sum(order, ())} else how % {"number": number},
    }
    text = _("%(where)s: %(order)s, %(how)s.") % facts
    return DecidedTie(number, line["round"], table, order, by_lot, text)


def playoff_results(event: Event) -> tuple[Mapping[str, PlayedOff], ...]:
    """Return for each finished play-off of an event what its members made, by code; one query.

    Those of one tier share the place, so that they stay tied. A play-off of a tie at a table
    decides the places there alone (`services/events/table_ties.py`).
    """
    finished = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    return tuple(
        _places(playoff.result)
        for playoff in finished.order_by("number")
        if playoff.result is not None and not playoff.is_of_table
    )


def _places(result: Mapping[str, object]) -> dict[str, PlayedOff]:
    order, totals = result["order"], result["made"]
    if not isinstance(order, list) or not isinstance(totals, Mapping):
        raise TypeError("a stored result is not one")
    return {code: PlayedOff(at, tuple(totals.get(code, ()))) for code, at in ranks(order).items()}
