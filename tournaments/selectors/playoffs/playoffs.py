"""Play-offs of an event as pages and REST show them, and what they decided.

Takes an event from `selectors.events.events.get_event`, which checks permissions. The state of a
play-off is stored after each hand, so that a read computes nothing.
"""

from collections import defaultdict
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
    return _views(event, _rows(event), may_direct=may_direct)


def get_playoff(event: Event, number: int, *, may_direct: bool = False) -> PlayoffView:
    views = _views(event, _rows(event).filter(number=number), may_direct=may_direct)
    if not views:
        raise Missing("playoff", {"playoff": number})
    return views[0]


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


def _views(event: Event, rows: QuerySet[Playoff], *, may_direct: bool) -> tuple[PlayoffView, ...]:
    playoffs = list(rows)
    stages = [playoff.stage_id for playoff in playoffs if playoff.stage_id]
    games = (
        Game.objects.filter(
            readable_rounds(event, "table__round__"), table__round__stage__in=stages
        )
        .select_related("table__round", "snapshot")
        .prefetch_related("table__seats__sittings__player")
        .order_by("table__round__number", "table__number")
    )
    games_by_stage: dict[int | None, list[Game]] = defaultdict(list)
    for game in games:
        games_by_stage[game.table.round.stage_id].append(game)

    column = name_column(event)
    display_text = texts_for(event)
    views = []
    for playoff in playoffs:
        playoff.reason = display_text(playoff.reason)
        view = _view(
            playoff,
            games_by_stage[playoff.stage_id],
            column=column,
            may_direct=may_direct,
            is_final=event.state == "final",
        )
        views.append(view)
    return tuple(views)


def _view(
    row: Playoff,
    games: Sequence[Game],
    *,
    column: NameColumn,
    may_direct: bool,
    is_final: bool,
) -> PlayoffView:
    standing: JsonObject = row.standing or {}
    entrants = [member.entrant for member in row.members.all()]
    names_by_row = entrant_names(entrants, column)
    names = {entrant.code: names_by_row[entrant.pk] for entrant in entrants}
    fillers = {leg["round"]: leg.get("fillers", 0) for leg in row.legs if leg["round"]}

    is_live = row.state in LIVE and not row.is_waived
    chairs: tuple[JsonDict, ...] = ()
    hands_left = None
    if is_live:
        chairs = _chairs(row, games, column)
        hands_left = _hands_left(standing)
    may: tuple[str, ...] = ()
    if may_direct:
        may = _possible_actions(row, is_live=is_live, chairs=chairs, is_final=is_final)
    seed = None
    if row.state == "by_lot":
        seeds = [str(step.facts["seed"]) for step in row.steps.all() if step.kind == "lots"]
        seed = seeds[-1] if seeds else None
    return PlayoffView(
        number=row.number,
        state=row.state,
        policy=row.policy,
        boundaries=tuple({"round": None, "table": None, **line} for line in row.boundaries),
        cuts=tuple(row.cuts),
        ahead=row.ahead,
        members=tuple(_members(row, names, standing)),
        tiers=tuple(tuple(tier["members"]) for tier in standing.get("tiers", ())),
        tables=tuple(_table(game, row, fillers) for game in games),
        kind=str(row.legs[-1].get("kind", "")) if row.legs else "",
        hands_left=hands_left,
        is_exhausted=is_live and bool(standing.get("is_exhausted")),
        is_waived=row.is_waived,
        is_asked=is_unanswered(row.asked),
        asked=_question_text(row),
        reason=row.reason,
        seed=seed,
        detected_at=row.detected_at,
        decided_at=row.decided_at,
        steps=tuple(_step(step, standing) for step in row.steps.all()),
        may=may,
        chairs=chairs,
    )


def _chairs(row: Playoff, games: Sequence[Game], column: NameColumn) -> tuple[JsonDict, ...]:
    """Return the chairs at open tables that are no member's, each with who sits there."""
    codes: dict[int, str] = {}
    for group_member in row.members.all():
        for entrant_member in group_member.entrant.members.all():
            codes[entrant_member.player_id] = group_member.entrant.code

    chairs = []
    for game in games:
        if game.table.round.state not in ("posted", "playing"):
            continue
        table = game.table.code
        seats = sorted(game.table.seats.all(), key=lambda seat: seat.number)
        for seat, label in zip(seats, seat_names(len(seats)), strict=True):
            chair = {"table": table, "seat": label, "player_id": "", "player": ""}
            sittings = [sitting for sitting in seat.sittings.all() if sitting.to_hand is None]
            if sittings:
                player = sittings[0].player
                code = codes.get(player.pk)
                if code is not None and plays_at(row, table, code):
                    continue
                chair["player_id"] = player.player_id
                chair["player"] = name_of(player, column)
            chairs.append(chair)
    return tuple(chairs)


def _members(
    row: Playoff, names: Mapping[str, str], standing: JsonObject
) -> list[PlayoffMemberRow]:
    """Return the members by standing, best first; who is gone comes last."""
    levels = [tier["members"] for tier in standing.get("tiers", ())]
    levels += [[code] for code in reversed(standing.get("gone", ()))]
    if not levels:
        levels = [sorted(names)]
    open_tiers = {}
    for tier in standing.get("tiers", ()):
        if tier["is_open"]:
            open_tiers[tuple(tier["members"])] = tier

    rows = []
    ahead = 0
    for level in levels:
        open_tier = open_tiers.get(tuple(level))
        for code in level:
            total = None
            if open_tier is not None and row.state in LIVE:
                total = str(open_tier["totals"].get(code, "0"))
            if code in standing.get("gone", ()):
                status = "gone"
            elif open_tier is not None or not standing:
                status = "playing"
            else:
                status = _status(row, ahead=ahead, size=len(level))
            member_row = PlayoffMemberRow(
                player_id=code,
                player=names.get(code, code),
                total=total,
                made=tuple(standing.get("made", {}).get(code, ())),
                status=status,
                place=ahead + 1 if row.state in OVER else None,
            )
            rows.append(member_row)
        ahead += len(level)
    return rows


def _status(row: Playoff, *, ahead: int, size: int) -> str:
    """Return the status of `size` members who do not play on, behind `ahead` others."""
    if ahead + size <= min(row.cuts):
        return "above"
    if ahead >= max(row.cuts):
        return "below"
    return "placed"


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


def _hands_left(standing: JsonObject) -> int | None:
    """Return how many hands the open tiers may still play; None if none is open."""
    played: list[int] = [tier["hands"] for tier in standing.get("tiers", ()) if tier["is_open"]]
    if not played:
        return None
    most: int = standing["most_hands"]
    return max(0, most - max(played))


def _step(step: PlayoffStep, standing: JsonObject) -> JsonDict:
    """Return a step; `scores` are those of a hand by member, None if it no longer counts."""
    table = ""
    number = None
    scores = standing.get("hands", {}).get(str(step.number))
    if step.hand is not None:
        table = step.hand.game.table.code
        number = step.hand.number
        totals = standing.get("totals", {}).get(table)
        if scores and totals:
            # As on the sheet of the table: who is out plays on there as a neutral player.
            members = totals.get(str(number), ())
            scores = {code: scores[code] for code in members if code in scores}
    return {
        "number": step.number,
        "kind": step.kind,
        "at": step.at,
        "by": step.by,
        "table": table,
        "hand": number,
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
    row: Playoff, *, is_live: bool, chairs: Sequence[JsonDict], is_final: bool
) -> tuple[str, ...]:
    """Return the possible operations of a director, most likely first.

    In a final event finished play-offs cannot change, except for open questions.
    """
    actions = []
    if is_live and row.state == "detected":
        actions.append("scheduled")
    elif is_live:
        if chairs:
            actions.append("neutral")
        actions.append("gone")
        if row.state == "in_play":
            actions.append("extend")
        actions.append("by_lot")
    if is_live and not row.is_of_table:
        actions.append("waive")
    if is_unanswered(row.asked):
        actions.append("answer")
    if is_live or (row.state != "void" and not is_final):
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
        """Return what eliminated those who did not go `on`: `playoff` or `lot`.

        They are the members of the tiers behind the first that has somebody who went on.
        """
        eliminated = {}
        is_behind = False
        for tier in self.order:
            if is_behind:
                for code in tier:
                    eliminated[code] = "lot" if code in self.by_lot else "playoff"
            elif not on.isdisjoint(tier):
                is_behind = True
        return eliminated


def list_decided_ties(event: Event, names: Mapping[str, str]) -> tuple[DecidedTie, ...]:
    """Return the ties of rounds that are decided, with `names` in their texts; one query."""
    finished = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    rows = finished.order_by("number").values_list("number", "boundaries", "result")
    ties = []
    for number, boundaries, result in rows:
        for boundary in boundaries:
            if "round" in boundary:
                ties.append(_decided_tie(number, boundary, result=result or {}, names=names))
    return tuple(ties)


def _decided_tie(
    number: int, boundary: JsonObject, *, result: JsonObject, names: Mapping[str, str]
) -> DecidedTie:
    order = tuple(tuple(tier) for tier in result["order"])
    by_lot = frozenset(code for code, totals in result["made"].items() if "lot" in totals)
    if all(by_lot.issuperset(tier) for tier in order):
        how = _("drawn by lot")
    elif by_lot:
        how = _("by play-off %(number)s and lot") % {"number": number}
    else:
        how = _("by play-off %(number)s") % {"number": number}

    table = boundary.get("table")
    if table:
        where = _("Table %(number)s") % {"number": table}
    else:
        where = _("Last wild card")
    tiers = [listed(names.get(member, member) for member in tier) for tier in order]
    facts = {"where": where, "order": _(" before ").join(tiers), "how": how}
    return DecidedTie(
        playoff=number,
        round=boundary["round"],
        table=table,
        order=order,
        by_lot=by_lot,
        text=_("%(where)s: %(order)s, %(how)s.") % facts,
    )


def playoff_results(event: Event) -> tuple[Mapping[str, PlayedOff], ...]:
    """Return for each finished play-off of an event what its members made, by code; one query.

    Those of one tier share the place, so that they stay tied. A play-off of a tie at a table
    decides the places there alone (`services/events/table_ties.py`).
    """
    finished = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    results = []
    for playoff in finished.order_by("number"):
        if playoff.result is not None and not playoff.is_of_table:
            results.append(_places(playoff.result))
    return tuple(results)


def _places(result: Mapping[str, object]) -> dict[str, PlayedOff]:
    """Return the place and the totals of each member of a stored result, by code."""
    order = result["order"]
    totals = result["made"]
    if not isinstance(order, list) or not isinstance(totals, Mapping):
        raise TypeError("a stored result is not one")
    places = {}
    for code, place in ranks(order).items():
        places[code] = PlayedOff(place, tuple(totals.get(code, ())))
    return places
