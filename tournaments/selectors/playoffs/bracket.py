"""The draw of a knock-out: its seeds, rounds and their names, tables, and who went on."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Final, NamedTuple, TypedDict

from scoring.playoffs.boundaries import ranks, tiers_by
from scoring.standings.tie_breaks import drawn
from tournaments.domain.name_matching import sort_key
from tournaments.errors import Missing
from tournaments.models.events import Entrant, Event, Seeding, Stage, StageKind, StageTakes
from tournaments.models.playoffs import StageEntrant, WalkOver
from tournaments.models.rounds import Round, RoundState, Sitting, Table
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.playoffs.late_in_bracket import LateChange, late_changes
from tournaments.selectors.playoffs.playoffs import DecidedTie, list_decided_ties, playoff_results
from tournaments.selectors.rounds.round_names import knockout_way, round_names
from tournaments.selectors.stages import is_planned, published_tiers, source_of
from tournaments.selectors.standings.publications import stored_publication

_WITHOUT_PLACE: Final = 10**6
"""Sort key of entrants without a place: after all others."""

SEEDINGS = tuple(Seeding.values)
"""Ways to seed the entrants before the first round."""


class BracketEntrant(TypedDict):
    """An entrant at a table, with the place there, a play-off counted.

    `went_on`: it plays in a later round or stage of the knock-out; `walk_over`: it gave up the
    table; `won`: it was the final, and this is its winner. `came_back_from` names the second stage
    from which it came into the round, empty for the others.
    """

    entrant_id: str
    name: str
    place: int | None
    went_on: bool
    walk_over: bool
    won: bool
    came_back_from: str


class DrawnTable(TypedDict):
    """A table; `to` has the codes of those of the next round at which its entrants sit."""

    code: str
    number: int
    state: str
    entrants: Sequence[BracketEntrant]
    to: Sequence[str]


class DrawnRound(TypedDict):
    """A round of a knock-out with its tables, its decided ties, and the name of its stage."""

    number: int
    name: str
    stage: int
    stage_name: str
    state: str
    tables: Sequence[DrawnTable]
    ties: Sequence[DecidedTie]


class Bracket(TypedDict):
    """A knock-out: its rounds in order, and its entrants while no round has a table.

    `late` has who came or withdrew after the open round was drawn; it is empty for others than
    directors.
    """

    stage: int
    name: str
    rounds: Sequence[DrawnRound]
    seeds: Sequence[Mapping[str, str]]
    seeding: str
    late: Sequence[LateChange]


_LAST = 10**6
"""A round that is not drawn yet comes after all others."""


class _Comeback(NamedTuple):
    """The name of the second stage, the number of the first round since, and of the lost round."""

    stage: str
    into: int
    lost: int


def seeds_of(
    event: Event, stage: Stage, seeding: str, draft: Publication | None = None
) -> list[str]:
    """Return the codes of a stage's entrants, first seed first; three queries at most.

    Entrants without a place in the standings or the ladder follow by lot. The lot is the event's,
    so that everybody can draw it again.

    Args:
        draft: standings to be read in the place of the published ones.
        seeding: `standings` as published, `ladder` (start positions), or `lot`.
    """
    entrants = Entrant.objects.filter(event=event).exclude(state="withdrawn")
    inside = frozenset(StageEntrant.objects.filter(stage=stage).values_list("entrant", flat=True))
    candidates = [entrant for entrant in entrants if not inside or entrant.pk in inside]
    by_lot = sorted(candidates, key=lambda entrant: drawn(event.seed, entrant.code))
    if seeding == Seeding.LOT:
        return [entrant.code for entrant in by_lot]
    if seeding == Seeding.LADDER:
        by_lot.sort(key=lambda entrant: entrant.start_position or _WITHOUT_PLACE)
        return [entrant.code for entrant in by_lot]
    publication = draft or stored_publication(event)
    order = [code for tier in published_tiers(publication) for code in tier] if publication else []
    ranks = {code: at for at, code in enumerate(order)}
    return [
        entrant.code
        for entrant in sorted(by_lot, key=lambda entrant: ranks.get(entrant.code, _WITHOUT_PLACE))
    ]


Places = dict[int, dict[str, int]]
"""Places of entrants by code, for each number of a table."""


def places_at_tables(
    event: Event, rounds: Iterable[Round], *, is_played_off: bool = True
) -> dict[int, Places]:
    """Return the places at the tables of rounds, by number; two queries.

    Args:
        is_played_off: as play-offs of ties at these tables decided them, else as hands gave them.
    """
    places: dict[int, Places] = {}
    rows = Contribution.objects.filter(event=event, game__table__round__in=rounds)
    for number, table, code, place in rows.values_list(
        "game__table__round__number", "game__table__number", "entrant__code", "place"
    ):
        places.setdefault(number, {}).setdefault(table, {})[code] = place
    for tie in list_decided_ties(event, {}) if is_played_off else ():
        if tie.table is not None:
            _separate(places.get(tie.round, {}).get(tie.table, {}), ranks(tie.order))
    return places


def _separate(places: dict[str, int], decided: Mapping[str, int]) -> None:
    for tied in tiers_by(places):
        if decided.keys() >= set(tied):
            for code in tied:
                places[code] += sum(decided[other] < decided[code] for other in tied)


def bracket_of(
    event: Event, number: int, seeding: str = "", *, for_director: bool = False
) -> Bracket:
    """Return the knock-out that a stage belongs to, with all its stages; twelve queries.

    For a director at most twelve more.

    Args:
        number: number of a stage with the movement `knockout`.
        seeding: the order of entrants before the first round; empty: the stage's.
    """
    family = _family(event, number)
    if not family:
        raise Missing("stage", {"stage": number})
    stage = next(stage for stage in family if stage.number == number)
    seeding = seeding or family[0].seeding
    names = names_in(event)
    rounds = _rounds(event, family, names)
    is_drawn = any(round_["tables"] for round_ in rounds)
    codes = () if is_drawn else seeds_of(event, family[0], seeding)
    seeds = [{"player_id": code, "player": names.get(code, code)} for code in codes]
    return {
        "stage": stage.number,
        "name": stage.title,
        "rounds": rounds,
        "seeds": seeds,
        "seeding": seeding,
        "late": late_changes(event, family, names) if for_director else (),
    }


def list_changes_since_draw(event: Event, number: int) -> tuple[LateChange, ...]:
    """Return who came or withdrew since a knock-out was drawn; for directors, else empty."""
    family = _family(event, number)
    if not family:
        return ()
    return late_changes(event, family, names_in(event))


def _family(event: Event, number: int) -> list[Stage]:
    """Return the stages of the knock-out of stage `number` in order; empty where it is none.

    These are the stages that it comes from, and those that it goes to.
    """
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    first = next((stage for stage in stages if stage.number == number), None)
    if first is None or first.kind != StageKind.KNOCKOUT:
        return []
    first = knockout_way(first, stages)[-1]
    family = [first]
    for stage in stages:
        follows = stage.kind == StageKind.KNOCKOUT and stage.takes == StageTakes.WINNERS
        if follows and stage != first and source_of(stage, stages) in family:
            family.append(stage)
    return family


def _rounds(event: Event, family: Sequence[Stage], names: dict[str, str]) -> list[DrawnRound]:
    rounds = list(rounds_of(event).filter(stage__in=family))
    ties = list_decided_ties(event, names)
    titles = {stage.pk: (stage.number, stage.title) for stage in family}
    at_table, reached = _sitting(rounds)
    begun = [stage for stage in family if not is_planned(stage)]
    for pk, code in StageEntrant.objects.filter(stage__in=begun[1:]).values_list(
        "stage_id", "entrant__code"
    ):
        reached[code] = max(reached[code], _first_round(rounds, pk))
    comebacks = _coming_back(begun, rounds, at_table)
    places = places_at_tables(event, rounds)
    for played_off in playoff_results(event):  # a tie in the final is played off by the standings
        decided = {code: result.place for code, result in played_off.items()}
        for at_final in places.get(rounds[-1].number, {}).values() if rounds else ():
            _separate(at_final, decided)
    given_up = _given_up(rounds, at_table, reached)
    tables: dict[int, list[Table]] = defaultdict(list)
    with_games = Table.objects.filter(round__in=rounds).select_related("game")
    for table in with_games.order_by("number"):
        tables[table.round_id].append(table)
    entrants = partial(_entrants, at_table, reached, comebacks, names, given_up)
    names_of_rounds = round_names((round_, len(tables[round_.pk])) for round_ in rounds)
    bracket_rounds: list[DrawnRound] = []
    for round_, later in zip_longest(rounds, rounds[1:]):
        next_tables = tables[later.pk] if later else []
        back = {
            code for code, comeback in comebacks.items() if later and comeback.into == later.number
        }
        is_final = (
            later is None and len(tables[round_.pk]) == 1 and round_.state == RoundState.CLOSED
        )
        places_of_round = places.get(round_.number, {})
        tables_of_round: list[DrawnTable] = [
            {
                "code": table.code,
                "number": table.number,
                "state": table.game.state,
                "entrants": entrants(
                    table, round_, places_of_round.get(table.number, {}), is_final=is_final
                ),
                "to": [
                    next_.code
                    for next_ in next_tables
                    if at_table[table.pk] & at_table[next_.pk] - back
                ],
            }
            for table in tables[round_.pk]
        ]
        stage, stage_name = titles[round_.stage_id]
        bracket_rounds.append(
            {
                "number": round_.number,
                "name": names_of_rounds[round_.number],
                "stage": stage,
                "stage_name": stage_name,
                "state": round_.state,
                "tables": tables_of_round,
                "ties": [tie for tie in ties if tie.round == round_.number],
            }
        )
    return bracket_rounds


def _entrants(
    at_table: dict[int, set[str]],
    reached: dict[str, int],
    comebacks: Mapping[str, "_Comeback"],
    names: dict[str, str],
    given_up: set[tuple[int, str]],
    table: Table,
    round_: Round,
    places: Mapping[str, int],
    *,
    is_final: bool,
) -> list[BracketEntrant]:
    codes = at_table[table.pk]
    first = {code for code in codes if places.get(code) == 1}
    present = {code for code in codes if (table.pk, code) not in given_up}
    winners = (first & present or present) if is_final else set()
    rows: list[BracketEntrant] = [
        {
            "entrant_id": code,
            "name": names.get(code, code),
            "place": places.get(code),
            "went_on": _went_on(comebacks.get(code), reached[code], round_.number),
            "walk_over": (table.pk, code) in given_up,
            "won": len(winners) == 1 and code in winners,
            "came_back_from": comebacks[code].stage
            if code in comebacks and comebacks[code].into == round_.number
            else "",
        }
        for code in codes
    ]
    return sorted(
        rows,
        key=lambda row: (
            row["walk_over"],
            row["place"] or _LAST,
            sort_key(row["name"]),
            row["entrant_id"],
        ),
    )


def _sitting(rounds: Sequence[Round]) -> tuple[dict[int, set[str]], dict[str, int]]:
    people: dict[int, set[str]] = defaultdict(set)
    reached: dict[str, int] = defaultdict(int)
    numbers = {round_.pk: round_.number for round_ in rounds}
    events = {round_.event_id for round_ in rounds}
    rows = Sitting.objects.filter(round__in=rounds, player__entries_in_events__event__in=events)
    for table, round_, code in rows.values_list(
        "seat__table", "round", "player__entries_in_events__entrant__code"
    ):
        people[table].add(code)
        reached[code] = max(reached[code], numbers[round_])
    return people, reached


def _went_on(comeback: _Comeback | None, reached: int, number: int) -> bool:
    if comeback is not None and number < comeback.into:
        return number < comeback.lost
    return number < reached


def _coming_back(
    begun: Sequence[Stage], rounds: Sequence[Round], at_table: dict[int, set[str]]
) -> dict[str, _Comeback]:
    comebacks: dict[str, _Comeback] = {}
    for stage in begun:
        if (also := stage.also_from) is None:
            continue
        in_round = _codes_by_round(rounds, at_table)
        first = _first_round(rounds, stage.pk)
        entrants = StageEntrant.objects.filter(stage=stage)
        returned = entrants.filter(entrant__in=also.entrants.values("entrant"))
        for code in returned.values_list("entrant__code", flat=True):
            earlier = [
                number for number, codes in in_round.items() if code in codes and number < first
            ]
            comebacks[code] = _Comeback(also.title, first, max(earlier, default=0))
    return comebacks


def _first_round(rounds: Sequence[Round], stage_id: int) -> int:
    return min((round_.number for round_ in rounds if round_.stage_id == stage_id), default=_LAST)


def _codes_by_round(rounds: Sequence[Round], at_table: dict[int, set[str]]) -> dict[int, set[str]]:
    codes: dict[int, set[str]] = defaultdict(set)
    for pk, number in Table.objects.filter(round__in=rounds).values_list("pk", "round__number"):
        codes[number] |= at_table[pk]
    return codes


def _given_up(
    rounds: Sequence[Round], at_table: dict[int, set[str]], reached: dict[str, int]
) -> set[tuple[int, str]]:
    """Return (table, code) of who gave up a table, to be shown there even without a seat."""
    walk_overs = WalkOver.objects.filter(round__in=rounds)
    rows = list(walk_overs.values_list("table_id", "entrant__code", "round__number"))
    for table, code, number in rows:
        at_table[table].add(code)
        reached[code] = max(reached[code], number)
    return {(table, code) for table, code, _number in rows}
