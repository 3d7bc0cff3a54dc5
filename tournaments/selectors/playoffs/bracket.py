"""The draw of a knock-out: its rounds, the tables of each, and who went on from there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

from scoring.playoffs.boundaries import (
    ranks,
    tiers_by,
)
from tournaments.errors import Missing
from tournaments.models.events import (
    Event,
    Seeding,
    Stage,
    StageKind,
    StageTakes,
)
from tournaments.models.meetings import Round, RoundState, Sitting, Table
from tournaments.models.playoffs import StageEntrant, WalkOver
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.stages import (
    is_planned,
    source_of,
    stage_title,
)
from tournaments.selectors.playoffs.knockout_seeds import seeds_of
from tournaments.selectors.playoffs.late_in_bracket import LateChange, late_changes
from tournaments.selectors.playoffs.results import DecidedTie, decided_ties

Places = dict[int, dict[str, int]]
"""Places of entrants by code, for each number of a table."""


def places_at_tables(
    event: Event, rounds: Iterable[Round], *, is_played_off: bool = True
) -> dict[int, Places]:
    """Return the places at the tables of rounds, by number; two queries.

    Args:
        is_played_off: as play-offs of ties at these tables decided them, else as hands gave them.
    """
    found: dict[int, Places] = {}
    rows = Contribution.objects.filter(event=event, game__table__round__in=rounds)
    for number, table, code, place in rows.values_list(
        "game__table__round__number", "game__table__number", "entrant__code", "place"
    ):
        found.setdefault(number, {}).setdefault(table, {})[code] = place
    for tie in decided_ties(event, {}) if is_played_off else ():
        if tie.table is not None:
            _separate(found.get(tie.round, {}).get(tie.table, {}), ranks(tie.order))
    return found


def _separate(places: dict[str, int], decided: Mapping[str, int]) -> None:
    """Order those who share a place, where all of them were in the play-off."""
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
    """A round with its tables, the ties of it that were decided, and the name of its stage."""

    number: int
    stage: int
    stage_name: str
    state: str
    tables: tuple[BracketTable, ...]
    ties: tuple[DecidedTie, ...] = ()


@dataclass(frozen=True, slots=True)
class Seed:
    """An entrant before the first round."""

    player_id: str
    player: str


@dataclass(frozen=True, slots=True)
class Bracket:
    """The rounds of a knock-out in order; `seeds` has its entrants while no round has a table.

    `late` has who came or withdrew after the open round was drawn; only directors see it.
    """

    stage: int
    name: str
    rounds: tuple[BracketRound, ...]
    seeds: tuple["Seed", ...] = ()
    seeding: str = "standings"
    late: tuple[LateChange, ...] = ()


def bracket_of(
    event: Event, number: int, seeding: str = "", *, for_director: bool = False
) -> Bracket:
    """Return the knock-out that a stage belongs to, with all its stages; ten queries.

    For a director there are twelve more at most, for `late`.

    Args:
        number: of a stage with the movement `knockout`.
        seeding: what orders the entrants before the first round; empty: what the stage says.
    """
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    stage = next((one for one in stages if one.number == number), None)
    if stage is None or stage.kind != StageKind.KNOCKOUT:
        raise Missing("stage", {"stage": number})
    family = _family(stage, stages)
    seeding = seeding or family[0].seeding
    names = names_in(event)
    rounds = _rounds(event, family, names)
    seeds: tuple[Seed, ...] = ()
    if not any(round_.tables for round_ in rounds):
        seeds = tuple(
            Seed(code, names.get(code, code)) for code in seeds_of(event, family[0], seeding)
        )
    late = late_changes(event, family, names) if for_director else ()
    return Bracket(stage.number, stage_title(stage), rounds, seeds, seeding, late)


def late_in_stage(event: Event, number: int) -> tuple[LateChange, ...]:
    """Return who came or withdrew since a knock-out was drawn; for directors. Empty elsewhere."""
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    stage = next((one for one in stages if one.number == number), None)
    if stage is None or stage.kind != StageKind.KNOCKOUT:
        return ()
    return late_changes(event, _family(stage, stages), names_in(event))


def _family(stage: Stage, stages: Sequence[Stage]) -> list[Stage]:
    """Return the stages of one knock-out in order: those it comes from, and those it goes to."""
    first = stage
    while first.takes == StageTakes.WINNERS:
        source = source_of(first, stages)
        if source is None or source.kind != StageKind.KNOCKOUT:
            break
        first = source
    family = [first]
    for one in stages:
        follows = one.kind == StageKind.KNOCKOUT and one.takes == StageTakes.WINNERS
        if follows and one != first and source_of(one, stages) in family:
            family.append(one)
    return family


def _rounds(
    event: Event, family: Sequence[Stage], names: dict[str, str]
) -> tuple[BracketRound, ...]:
    rounds = list(Round.objects.filter(stage__in=family).order_by("number"))
    ties = decided_ties(event, names)
    titles = {one.pk: (one.number, stage_title(one)) for one in family}
    at_table, reached = _sitting(rounds)
    begun = [one for one in family if not is_planned(one)]
    for pk, code in StageEntrant.objects.filter(stage__in=begun[1:]).values_list(
        "stage_id", "entrant__code"
    ):
        first = min((round_.number for round_ in rounds if round_.stage_id == pk), default=_LAST)
        reached[code] = max(reached[code], first)
    back = _coming_back(begun, rounds, at_table)
    places = places_at_tables(event, rounds)
    given_up = _given_up(rounds, at_table)
    tables: dict[int, list[Table]] = defaultdict(list)
    with_games = Table.objects.filter(round__in=rounds).select_related("game")
    for table in with_games.order_by("number"):
        tables[table.round_id].append(table)
    entrants = partial(_entrants, at_table, reached, back, names, given_up)
    found = []
    for one, later in zip_longest(rounds, rounds[1:]):
        next_tables = tables[later.pk] if later else []
        came = {code for code, own in back.items() if later and own.first == later.number}
        found.append(
            BracketRound(
                one.number,
                *titles[one.stage_id],
                one.state,
                tuple(
                    BracketTable(
                        table.code,
                        entrants(
                            table,
                            one,
                            places.get(one.number, {}).get(table.number, {}),
                            is_final=_is_final(rounds, tables, one),
                        ),
                        tuple(
                            next_.code
                            for next_ in next_tables
                            if at_table[table.pk] & at_table[next_.pk] - came
                        ),
                        table.game.state,
                        table.number,
                    )
                    for table in tables[one.pk]
                ),
                tuple(tie for tie in ties if tie.round == one.number),
            )
        )
    return tuple(found)


_LAST = 10**6
"""A round that is not drawn yet comes after all others."""


def _entrants(
    at_table: dict[int, set[str]],
    reached: dict[str, int],
    back: dict[str, "_Back"],
    names: dict[str, str],
    given_up: set[tuple[int, str]],
    table: Table,
    round_: Round,
    places: Mapping[str, int],
    *,
    is_final: bool,
) -> tuple[BracketEntrant, ...]:
    """Those at a table: by place, then by name, and last who gave it up."""
    first = {code for code in at_table[table.pk] if places.get(code) == 1}
    left = {code for code in at_table[table.pk] if (table.pk, code) not in given_up}
    winners = (first & left or left) if is_final else set()
    bracket_entrants = [
        BracketEntrant(
            code,
            names.get(code, code),
            places.get(code),
            _went_on(back.get(code), reached[code], round_.number),
            (table.pk, code) in given_up,
            len(winners) == 1 and code in winners,
            back[code].stage if code in back and back[code].first == round_.number else "",
        )
        for code in at_table[table.pk]
    ]
    return tuple(
        sorted(
            bracket_entrants,
            key=lambda one: (one.walk_over, one.place or _LAST, one.name, one.entrant_id),
        )
    )


def _sitting(rounds: Sequence[Round]) -> tuple[dict[int, set[str]], dict[str, int]]:
    """Return who sits at each table, and the last round in which each sits."""
    people: dict[int, set[str]] = defaultdict(set)
    reached: dict[str, int] = defaultdict(int)
    numbers = {one.pk: one.number for one in rounds}
    events = {one.event_id for one in rounds}
    rows = Sitting.objects.filter(round__in=rounds, player__entries_in_events__event__in=events)
    for table, round_, code in rows.values_list(
        "seat__table", "round", "player__entries_in_events__entrant__code"
    ):
        people[table].add(code)
        reached[code] = max(reached[code], numbers[round_])
    return people, reached


@dataclass(frozen=True, slots=True)
class _Back:
    """Who came back: the name of the second stage, the first round since, and the one they lost."""

    stage: str
    first: int
    lost: int


def _went_on(back: _Back | None, reached: int, number: int) -> bool:
    """Whether somebody whose last round is `reached` went on from a round."""
    if back is not None and number < back.first:
        return number < back.lost
    return number < reached


def _coming_back(
    begun: Sequence[Stage], rounds: Sequence[Round], at_table: dict[int, set[str]]
) -> dict[str, _Back]:
    """Return who came back from a second stage; no query where no stage has one."""
    found: dict[str, _Back] = {}
    for stage in begun:
        if (also := stage.also_from) is None:
            continue
        stage_entrants = StageEntrant.objects.filter(stage=stage)
        in_round = _codes_by_round(rounds, at_table)
        first = min(
            (round_.number for round_ in rounds if round_.stage_id == stage.pk), default=_LAST
        )
        both = stage_entrants.filter(entrant__in=also.entrants.values("entrant"))
        for code in both.values_list("entrant__code", flat=True):
            sat = [number for number, codes in in_round.items() if code in codes]
            lost = max((number for number in sat if number < first), default=0)
            found[code] = _Back(stage_title(also), first, lost)
    return found


def _codes_by_round(rounds: Sequence[Round], at_table: dict[int, set[str]]) -> dict[int, set[str]]:
    """Return who sits in each round, by its number; one query."""
    found: dict[int, set[str]] = defaultdict(set)
    for pk, number in Table.objects.filter(round__in=rounds).values_list("pk", "round__number"):
        found[number] |= at_table[pk]
    return found


def _given_up(rounds: Sequence[Round], at_table: dict[int, set[str]]) -> set[tuple[int, str]]:
    """Return (table, code) of who gave up a table; they are shown there, seat or not."""
    found = {*WalkOver.objects.filter(round__in=rounds).values_list("table_id", "entrant__code")}
    for table, code in found:
        at_table[table].add(code)
    return found


def _is_final(rounds: Sequence[Round], tables: dict[int, list[Table]], round_: Round) -> bool:
    """Whether a round is the last one, at a single table that is over."""
    is_last = rounds[-1] == round_ and len(tables[round_.pk]) == 1
    return is_last and round_.state == RoundState.CLOSED
