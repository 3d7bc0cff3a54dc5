"""Places at the tables of a round, and the ties there that decide who goes on.

A play-off of a tie at a table decides the places there, and nothing else. See
docs/algorithms/stages.md.
"""

from collections.abc import Iterable, Mapping

from scoring.errors import Problem, Refused, listed
from scoring.playoffs.boundaries import TABLE, Need, table_needs
from scoring.playoffs.fold import ranks
from tournaments.domain.event_settings import settings_of
from tournaments.domain.knockout_advance import goes_on_from
from tournaments.models.events import Entrant, EntrantState, Event, StageKind, StageTakes
from tournaments.models.meetings import Round, RoundState, SitOut, SitOutReason, Sitting, Table
from tournaments.models.playoffs import LIVE, OVER, Playoff, PlayoffState
from tournaments.models.standings import Contribution
from tournaments.models.walk_overs import WalkOver
from tournaments.selectors.events.cuts import is_complete, ordinary_stages, source_of
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.seating_plans.knockout_stage import last_round_of

Places = dict[int, dict[str, int]]
"""Place of each entrant at a table, by code, by the number of the table."""


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
    finished = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    for playoff in finished.order_by("number") if is_played_off else ():
        for line in playoff.boundaries:
            if line["kind"] == TABLE and (there := found.get(line["round"], {}).get(line["table"])):
                _fold(there, ranks((playoff.result or {})["order"]))
    return found


def _fold(places: dict[str, int], decided: Mapping[str, int]) -> None:
    """Order those who share a place, where all of them were in the play-off."""
    for place in set(places.values()):
        tied = [code for code in places if places[code] == place]
        if len(tied) > 1 and all(code in decided for code in tied):
            for code in tied:
                places[code] = place + sum(decided[one] < decided[code] for one in tied)


def plays_tables(event: Event) -> bool:
    """Whether a tie for the last place that goes on from a table is played off."""
    return settings_of(event).table_ties == "playoff"


def undecided_ties(event: Event, last: Round) -> tuple[Need, ...]:
    """Return the ties for the last place that goes on from a table of a closed round."""
    return _ties(event, last, is_played_off=True)


def tied_in(event: Event) -> tuple[list[Need], list[int]]:
    """Return the ties that the hands of all rounds left, and the numbers of the rounds of which
    nobody has gone on yet."""
    found: list[Need] = []
    newest: list[int] = []
    if not plays_tables(event):
        return found, newest
    for stage in ordinary_stages(event):
        rounds = list(
            Round.objects.filter(stage=stage).exclude(state=RoundState.DRAFT).order_by("number")
        )
        for last in rounds:
            found += _ties(event, last, is_played_off=False)
        newest += [one.number for one in rounds[-1:]]
    return found, newest


def _ties(event: Event, last: Round, *, is_played_off: bool) -> tuple[Need, ...]:
    if last.state != RoundState.CLOSED or not plays_tables(event):
        return ()
    above = _goes_on(event, last)
    if above is None:
        return ()
    gone = _gone(event, last, is_played_off=is_played_off)
    tables = places_at_tables(event, [last], is_played_off=is_played_off).get(last.number, {})
    fit = {
        number: {code: place for code, place in places.items() if code not in gone}
        for number, places in tables.items()
    }
    return table_needs(fit, above, round_number=last.number)


def _goes_on(event: Event, last: Round) -> int | None:
    """Return how many of each table go on from a round; None where it is no matter of tables.

    The last round of a stage sends on whom the next planned stage takes.
    """
    stages = ordinary_stages(event)
    stage = next(one for one in stages if one.pk == last.stage_id)
    for later in stages:
        rule = later.advance or {}
        takes = later.takes == StageTakes.WINNERS and "each_table" in rule
        if takes and source_of(later, stages) == stage and is_complete(stage):
            if settings_of(event).playoff == "share":
                return None
            return int(rule["each_table"]) if last == last_round_of(stage) else None
    if stage.kind != StageKind.KNOCKOUT or is_final(last):
        return None
    return goes_on_from(stage).each_table


def is_final(last: Round) -> bool:
    """Whether a round of a knock-out has a single table, and nobody goes on without playing."""
    byes = SitOut.objects.filter(round=last, reason=SitOutReason.BYE)
    return Table.objects.filter(round=last).count() == 1 and not byes.exists()


def _gone(event: Event, last: Round, *, is_played_off: bool) -> set[str]:
    """Return who gave up a table of the round, or withdrew before a later round.

    Whoever withdraws during a play-off stays in it, and is placed last.
    """
    later = Sitting.objects.filter(round__stage=last.stage_id, round__number__gt=last.number)
    stays = {*later.values_list("player__entries_in_events__entrant__code", flat=True)}
    if not is_played_off:
        begun = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
        stays |= {*begun.values_list("members__entrant__code", flat=True)}
    withdrawn = Entrant.objects.filter(event=event, state=EntrantState.WITHDRAWN)
    walk_overs = WalkOver.objects.filter(round=last).values_list("entrant__code", flat=True)
    return ({*withdrawn.values_list("code", flat=True)} - stays) | {*walk_overs}


def require_ties_decided(event: Event, last: Round) -> None:
    """Refuse to go on from a round while a tie for the last place at a table is undecided.

    Raises:
        Refused: table_tie_open, table_tie_found.
    """
    problems = []
    for tie in undecided_ties(event, last):
        line = tie.boundaries[0]
        live = Playoff.objects.filter(event=event, state__in=LIVE, boundaries=[line.written])
        number = live.order_by("number").values_list("number", flat=True).first()
        names = names_in(event)
        facts: dict[str, int | str] = {
            "level": listed([names.get(code, code) for code in tie.members]),
            "place": line.above,
            "table": line.table,
            "round": line.round,
        }
        if number is None:
            problems.append(Problem("table_tie_found", ("movement",), facts))
        else:
            problems.append(Problem("table_tie_open", ("movement",), facts | {"playoff": number}))
    if problems:
        raise Refused(*problems)
