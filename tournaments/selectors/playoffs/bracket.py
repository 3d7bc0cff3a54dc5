"""The draw of a knock-out: its rounds, the tables of each, and who went on from there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import TypeAlias

from scoring.playoffs.boundaries import ranks, tiers_by
from tournaments.errors import Missing
from tournaments.models.events import Event, Seeding, Stage, StageKind, StageTakes
from tournaments.models.playoffs import StageEntrant, WalkOver
from tournaments.models.rounds import Round, RoundState, Sitting, Table
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.playoffs.knockout_seeds import seeds_of
from tournaments.selectors.playoffs.late_in_bracket import LateChange, late_changes
from tournaments.selectors.playoffs.results import DecidedTie, list_decided_ties, playoff_results
from tournaments.selectors.playoffs.round_names import knockout_way, round_names
from tournaments.selectors.stages import is_planned, source_of, stage_title

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


SEEDINGS = tuple(Seeding.values)
"""What may order the entrants before the first round."""


@dataclass(frozen=True, slots=True)
class BracketEntrant:
    """Somebody at a table; `place` is None before a hand is scored, and counts a play-off there.

    `went_on`: they play in a later round or stage of the knock-out; `walk_over`: they gave up the
    table; `won`: it was the final, and they are its winner. `came_back_from` names the second stage
    from which they came into the round, empty for the others.
    """

    entrant_id: str
    name: str
    place: int | None
    went_on: bool
    walk_over: bool = False
    won: bool = False
    came_back_from: str = ""


@dataclass(frozen=True, slots=True)
class BracketTable:
    """A table; `to` has the codes of the tables of the next round at which its entrants sit."""

    code: str
    entrants: tuple[BracketEntrant, ...]
    to: tuple[str, ...] = ()
    state: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class BracketRound:
    """A round with its name and tables, its decided ties, and the name of its stage."""

    number: int
    stage: int
    stage_name: str
    state: str
    tables: tuple[BracketTable, ...]
    ties: tuple[DecidedTie, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Bracket:
    """The rounds of a knock-out in order.

    `seeds` has its entrants by `player_id` and `player` while no round has a table.

    `late` has who came or withdrew after the open round was drawn; only directors see it.
    """

    stage: int
    name: str
    rounds: tuple[BracketRound, ...]
    seeds: Sequence[Mapping[str, str]] = ()
    seeding: str = "standings"
    late: tuple[LateChange, ...] = ()


def bracket_of(
    event: Event, number: int, seeding: str = "", *, for_director: bool = False
) -> Bracket:
    """Return the knock-out that a stage belongs to, with all its stages; twelve queries.

    For a director there are twelve more at most, for `late`.

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
    is_drawn = any(round_.tables for round_ in rounds)
    codes = () if is_drawn else seeds_of(event, family[0], seeding)
    seeds = [{"player_id": code, "player": names.get(code, code)} for code in codes]
    late = late_changes(event, family, names) if for_director else ()
    return Bracket(stage.number, stage_title(stage), rounds, seeds, seeding, late)


def late_in_stage(event: Event, number: int) -> tuple[LateChange, ...]:
    """Return who came or withdrew since a knock-out was drawn; for directors, else empty."""
    family = _family(event, number)
    return late_changes(event, family, names_in(event)) if family else ()


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


def _rounds(
    event: Event, family: Sequence[Stage], names: dict[str, str]
) -> tuple[BracketRound, ...]:
    rounds = list(rounds_of(event).filter(stage__in=family))
    ties = list_decided_ties(event, names)
    titles = {stage.pk: (stage.number, stage_title(stage)) for stage in family}
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
    bracket_rounds = []
    for round_, later in zip_longest(rounds, rounds[1:]):
        next_tables = tables[later.pk] if later else []
        back = {
            code for code, (_, first, _) in comebacks.items() if later and first == later.number
        }
        is_final = (
            later is None and len(tables[round_.pk]) == 1 and round_.state == RoundState.CLOSED
        )
        places_of_round = places.get(round_.number, {})
        bracket_tables = tuple(
            BracketTable(
                table.code,
                entrants(table, round_, places_of_round.get(table.number, {}), is_final=is_final),
                tuple(
                    next_.code
                    for next_ in next_tables
                    if at_table[table.pk] & at_table[next_.pk] - back
                ),
                table.game.state,
                table.number,
            )
            for table in tables[round_.pk]
        )
        ties_of_round = tuple(tie for tie in ties if tie.round == round_.number)
        bracket_rounds.append(
            BracketRound(
                round_.number,
                *titles[round_.stage_id],
                round_.state,
                bracket_tables,
                ties_of_round,
                names_of_rounds[round_.number],
            )
        )
    return tuple(bracket_rounds)


_LAST = 10**6
"""A round that is not drawn yet comes after all others."""


def _entrants(
    at_table: dict[int, set[str]],
    reached: dict[str, int],
    comebacks: Mapping[str, "_Return"],
    names: dict[str, str],
    given_up: set[tuple[int, str]],
    table: Table,
    round_: Round,
    places: Mapping[str, int],
    *,
    is_final: bool,
) -> tuple[BracketEntrant, ...]:
    codes = at_table[table.pk]
    first = {code for code in codes if places.get(code) == 1}
    present = {code for code in codes if (table.pk, code) not in given_up}
    winners = (first & present or present) if is_final else set()
    entrants = [
        BracketEntrant(
            code,
            names.get(code, code),
            places.get(code),
            _went_on(comebacks.get(code), reached[code], round_.number),
            (table.pk, code) in given_up,
            len(winners) == 1 and code in winners,
            comebacks[code][0] if code in comebacks and comebacks[code][1] == round_.number else "",
        )
        for code in codes
    ]
    return tuple(
        sorted(
            entrants,
            key=lambda entrant: (
                entrant.walk_over,
                entrant.place or _LAST,
                entrant.name,
                entrant.entrant_id,
            ),
        )
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


_Return: TypeAlias = tuple[str, int, int]
"""Name of the second stage, number of the first round since, and of the round that was lost."""


def _went_on(comeback: _Return | None, reached: int, number: int) -> bool:
    if comeback is not None and number < comeback[1]:
        return number < comeback[2]
    return number < reached


def _coming_back(
    begun: Sequence[Stage], rounds: Sequence[Round], at_table: dict[int, set[str]]
) -> dict[str, _Return]:
    comebacks: dict[str, _Return] = {}
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
            comebacks[code] = (stage_title(also), first, max(earlier, default=0))
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
