"""Rank an event's standings, and render them as JSON and CSV."""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC
from fractions import Fraction
from itertools import pairwise
from typing import Final, cast

from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from scoring.standings.counting import mean_of_scheme
from scoring.standings.explain import ahead, four_places, reason, reason_facts
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rank import AdvancingStage, Standing, required_games, standings
from scoring.standings.rows import Evidence, GameResult, Row
from scoring.standings.tie_breaks import TIE_BREAKS, PlayedOff
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.event_settings import Settings, counts_matches, settings_of
from tournaments.domain.figures import exact_json
from tournaments.domain.standings.standings_documents import (
    AdjustmentDocument,
    BestOf,
    EveningAbout,
    MemberDocument,
    OpeningValueDocument,
    SchemeDocument,
    StandingsDocument,
    StandingsDocumentRow,
    compact,
)
from tournaments.models.clubs import Club
from tournaments.models.columns import UNIT, as_json
from tournaments.models.events import Event
from tournaments.selectors.events.settings_checks import default_snapshot, has_points_only
from tournaments.selectors.hands.games import known_moons
from tournaments.selectors.playoffs.playoffs import playoff_results
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.standings.correction_window import window_ends
from tournaments.selectors.standings.opening_values import BEFORE, OpeningLine
from tournaments.services.publishing.entrant_rows import (
    BoardMeans,
    EntrantInputs,
    MatchPoints,
    NamedEntrant,
    entrant_inputs,
    stored_rows,
)
from tournaments.services.publishing.stages_reached import (
    AsOf,
    StagesReached,
    as_of,
    played_rules,
    without_games,
)
from tournaments.services.publishing.standings_columns import (
    ALWAYS,
    FIXED,
    PLACE_KEYS,
    RAW,
    ExtraColumnSpec,
    dropped_games,
    effect,
    further_columns,
)
from tournaments.services.publishing.tie_break_evidence import IndexEvidence, StoredGames


@dataclass(frozen=True, slots=True)
class RankedTable:
    settings: Settings
    ascending: bool
    placed: tuple[Standing, ...]
    inputs: EntrantInputs
    as_of: AsOf
    is_complex: bool
    seed: str


@dataclass(frozen=True, slots=True)
class DraftStandings(RankedTable):
    """The ranked entrants of an event; `is_title_open` while a round or stage of several is to
    decide who wins it."""

    event: Event
    variants: tuple[str, ...]
    is_title_open: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """The bytes of a table: the JSON without the member `publication`, and the CSV."""

    body: bytes
    csv: bytes

    def document(self) -> JsonDict:
        document: JsonDict = json.loads(self.body)
        return document


_TYPED: Final = frozenset({"player_id", "player"})


def draft_standings(
    event: Event,
    rows: Sequence[Row] | None = None,
    evidence: Evidence | None = None,
    *,
    settings: Settings | None = None,
    inputs: EntrantInputs | None = None,
) -> DraftStandings:
    """Rank the entrants, querying data not passed; rendering the draft makes no query."""
    settings = settings or settings_of(event)
    inputs = inputs or entrant_inputs(event)
    rules = rules_of(default_snapshot(event))
    played = played_rules(event) or (rules,)
    reached = StagesReached(event)
    placed = rank_rows(
        event,
        stored_rows(event, settings, inputs) if rows is None else rows,
        evidence,
        settings=settings,
        reached=reached,
    )
    return DraftStandings(
        event=event,
        settings=settings,
        ascending=PRIMARIES[settings.primary].is_ascending(low_wins=low_wins(rules)),
        placed=placed,
        inputs=inputs,
        as_of=as_of(event),
        variants=tuple(sorted({rules.id for rules in played})),
        is_complex=any(rules.keys.number == "complex" for rules in played),
        seed=event.seed,
        is_title_open=reached.is_staged and not event.is_over and not reached.is_decided,
    )


def standings_as_stored(event_id: int) -> DraftStandings:
    """Rank the entrants of an event that is read anew, with what this transaction changed."""
    return draft_standings(Event.objects.select_related("club", "season").get(pk=event_id))


def rank_rows(
    event: Event,
    rows: Sequence[Row],
    evidence: Evidence | None = None,
    *,
    settings: Settings,
    stages: Sequence[AdvancingStage] | None = None,
    playoffs: Sequence[Mapping[str, PlayedOff]] | None = None,
    seed: str = "",
    reached: StagesReached | None = None,
) -> tuple[Standing, ...]:
    """Return `rows` in the order of the event under these settings.

    Args:
        evidence: the games, for criteria that use them; by default as stored.
        stages: the qualifiers of each later stage or round of a knock-out; by default as stored.
        playoffs: results of play-offs; by default all of the event's.
        seed: what lots are drawn from; by default the event's.
        reached: the progress of the event, for its newest table; read if `stages` are not given.
    """
    if stages is None:
        reached = reached or StagesReached(event)
        stages = reached.by()
    if playoffs is None:
        playoffs = playoff_results(event)
    if settings.knocked_out != "standings":
        byes = reached.byes if reached is not None else frozenset()
        rows = [*rows, *without_games(event, rows, stages, byes)]
    if settings.duplicate and all(row.sums.matchpoints is None for row in rows):
        rows = BoardMeans(event).with_means(rows)
    if counts_matches(settings) and all(row.sums.match_points is None for row in rows):
        rows = MatchPoints(event).with_means(rows)
    placed = order_rows(
        rows,
        StoredGames(event) if evidence is None else evidence,
        settings=settings,
        chain=_answerable(event, settings.tie_breaks),
        rules=rules_of(default_snapshot(event)),
        seed=seed or event.seed,
        stages=stages,
        playoffs=playoffs,
    )
    if reached is None:
        return placed
    return reached.at_end(placed, settings, playoffs)


def order_rows(
    rows: Sequence[Row],
    evidence: Evidence,
    *,
    settings: Settings,
    chain: Sequence[str],
    rules: Rules,
    seed: str,
    stages: Sequence[AdvancingStage] = (),
    playoffs: Sequence[Mapping[str, PlayedOff]] = (),
) -> tuple[Standing, ...]:
    """Return `rows` in the order of `settings`.

    Args:
        chain: the criteria of the settings that the games can answer.
        rules: say whether the smaller total wins, and how many sit at an ordinary table.
    """

    def order(
        rows: Sequence[Row], chain: Sequence[str], playoffs: Sequence[Mapping[str, PlayedOff]] = ()
    ) -> tuple[Standing, ...]:
        return standings(
            rows,
            primary=settings.primary,
            low_wins=low_wins(rules),
            min_games=settings.min_games,
            min_third=settings.min_third,
            tie_breaks=chain,
            evidence=evidence,
            seed=seed,
            playoffs=playoffs,
            playoff_first=settings.playoff_before_criteria,
            bye_award=settings.bye_award,
            scheme_mean=_scheme_mean(settings, rules),
            stages=stages,
            knocked_out=settings.knocked_out,
        )

    if any(TIE_BREAKS[key].reads == "counted" for key in chain):
        rows = _with_counted(rows, evidence, lambda: _level(order(rows, ())))
    if "index" in chain and any(row.counted is None and row.sums.index is None for row in rows):
        level = _level(order(rows, chain[: chain.index("index")]))
        rows = _with_index(rows, evidence, level)
    if "sos" in chain and settings.primary == "index_per_game":
        level = _level(order(rows, chain[: chain.index("sos")]))
        rows = _with_index_of_opponents(rows, evidence, level)
    return order(rows, chain, playoffs)


def _answerable(event: Event, chain: Sequence[str]) -> Sequence[str]:
    """Return the tie-break order, without criteria of moons where a sheet has totals only."""
    if any("moons" in TIE_BREAKS[key].needs for key in chain) and has_points_only(event):
        return tuple(key for key in chain if "moons" not in TIE_BREAKS[key].needs)
    return chain


def _scheme_mean(settings: Settings, rules: Rules) -> Fraction | None:
    chairs = len(rules.keys.teams.shape) or 4
    sizes = sorted(map(int, settings.placement), key=lambda size: (abs(size - chairs), size))
    if not sizes:
        return None
    return mean_of_scheme(settings.placement[str(sizes[0])])


def _level(placed: Sequence[Standing]) -> frozenset[str]:
    level = (pair for pair in pairwise(placed) if pair[1].decided_by is None)
    return frozenset(row.sums.code for pair in level for row in pair)


def _with_counted(
    rows: Sequence[Row], evidence: Evidence, level: Callable[[], frozenset[str]]
) -> Sequence[Row]:
    """Return the rows with what tie-breaks count of the games that count; it is not stored."""
    short = {row.code: row.counted for row in rows if row.counted and not row.counted.places}
    if not short or not isinstance(evidence, StoredGames):
        return rows
    counted = evidence.with_counted({code: short[code] for code in short.keys() & level()})
    return [replace(row, counted=counted.get(row.code, row.counted)) for row in rows]


def _with_index(rows: Iterable[Row], evidence: Evidence, codes: frozenset[str]) -> list[Row]:
    """Return the rows with the index over all games of `codes`; few events store it."""
    index = _index_of(evidence, codes)
    return [
        replace(row, sums=replace(row.sums, index=index[row.code])) if row.code in index else row
        for row in rows
    ]


def _with_index_of_opponents(
    rows: Sequence[Row], evidence: Evidence, codes: frozenset[str]
) -> Sequence[Row]:
    """Return the rows with the index over all games of those whom `codes` met.

    Where games are dropped, rows have that of the games that count only.
    """
    unknown = {row.code for row in rows if (row.played or row.sums).index is None}
    if not codes or not unknown:
        return rows
    met = frozenset(code for game in evidence.games_of(codes) for code in game.chairs)
    index = _index_of(evidence, met & unknown)
    return [
        replace(row, played=replace(row.played or row.sums, index=index[row.code]))
        if row.code in index
        else row
        for row in rows
    ]


def _index_of(evidence: Evidence, codes: frozenset[str]) -> Mapping[str, Fraction | None]:
    if isinstance(evidence, IndexEvidence):
        return evidence.index_of(codes)
    return _index_in(evidence.games_of(codes), codes)


def _index_in(games: Iterable[GameResult], codes: frozenset[str]) -> Mapping[str, Fraction | None]:
    totals: dict[str, Fraction | None] = dict.fromkeys(codes, Fraction(0))
    for game in games:
        for code in codes & game.chairs.keys():
            index = game.chairs[code].index
            total = totals[code]
            totals[code] = None if index is None or total is None else total + index
    return totals


def render_draft(table: DraftStandings, *, evening: EveningAbout | None = None) -> Rendered:
    """Return the bytes of a table of an event, or of one of its evenings."""
    event = table.event
    # None while the event is played, and once it is final.
    end = window_ends(event, table.settings)
    about = {
        "slug": event.slug,
        "name": event.name,
        "kind": event.kind,
        "season": event.season.slug if event.season else None,
        "variants": list(table.variants),
        "state": event.state,
        "provisional_until": end and end.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    members: dict[str, object] = {"event": about}
    if evening is not None:
        members["evening"] = evening
    return render_table(table, club=event.club, about=members)


def render_table(table: RankedTable, *, club: Club, about: Mapping[str, object]) -> Rendered:
    """Return the bytes of a table; `about` is the member that says whose it is; no query."""
    # A substitute's results count for the pair or team; its own ones are on the page of the player.
    table = replace(table, placed=tuple(row for row in table.placed if not row.row.is_substitute))
    further = further_columns(table.placed, table.settings, ascending=table.ascending)
    fixed = {key: words for key, words in FIXED.items() if not (table.is_complex and key in RAW)}
    columns = fixed | {column.key: (column.short, column.title) for column in further}
    rows = [
        _row(
            row,
            table.placed[at - 1] if at else None,
            table.placed[at + 1] if at + 1 < len(table.placed) else None,
            table,
            further,
        )
        for at, row in enumerate(table.placed)
    ]
    body = {
        "club": {"slug": club.slug, "name": club.name},
        **about,
        "as_of": asdict(table.as_of),
        "scheme": _scheme(table),
        "columns": [
            {"key": key, "short": short, "title": title} for key, (short, title) in columns.items()
        ],
        "rows": [row for row in rows if row["qualified"]],
        "provisional_rows": [row for row in rows if not row["qualified"]],
    }
    keys = (*FIXED, *(column.key for column in further))
    return Rendered(compact(body), write_csv(rows, keys, _TYPED))


def _scheme(table: RankedTable) -> SchemeDocument:
    settings = table.settings
    counts = (row.sums.games for row in table.placed)
    scheme: SchemeDocument = {
        "primary": settings.primary,
        "direction": "asc" if table.ascending else "desc",
        "tie_breaks": list(settings.tie_breaks),
        "drop_worst": settings.drop_worst,
        "min_games": required_games(counts, settings.min_games, third=settings.min_third),
        "seed": table.seed if "lot" in settings.tie_breaks else None,
        "best_of": cast("BestOf", dict(settings.best_of)) if settings.best_of else None,
        "bye_award": settings.bye_award,
        "boundaries": dict(settings.boundaries),
    }
    if settings.min_third:
        scheme["min_third"] = True
    if isinstance(table, DraftStandings) and table.is_title_open:
        scheme["title_open"] = True
    return scheme


def _row(
    row: Standing,
    above: Standing | None,
    below: Standing | None,
    table: RankedTable,
    further: Sequence[ExtraColumnSpec],
) -> StandingsDocumentRow:
    sums = row.sums
    entrant = table.inputs.names[sums.code]
    openings = table.inputs.openings.get(sums.code, ())
    # An average is over the hands whose points are known.
    is_raw = PRIMARIES[table.settings.primary].is_raw
    hands = sums.hands - (0 if is_raw else sum(line.worth.hands for line in openings))
    average = None
    if hands and not sums.uncounted and not table.is_complex:
        average = Fraction(sums.points) / hands
    facts = reason_facts(row, above)
    members = {
        "rank": row.rank,
        "tied": row.tied,
        "qualified": row.rank is not None,
        "player_id": sums.code,
        "player": entrant.name,
        **_members(entrant),
        "tables": sums.games,
        "hands": sums.hands,
        "points": None if table.is_complex else as_json(int(sums.points * UNIT)),
        "average_per_hand": four_places(average) if average is not None else None,
        "average_exact": str(average) if average is not None else None,
        "wins": sums.places[0],
        "shared_wins": sums.shared_wins,
        **{PLACE_KEYS[at]: sums.places[at] for at in range(1, ALWAYS)},
        "moons": known_moons(sums.moons, is_unknown=sums.code in table.inputs.unknown_moons),
        "withdrawn": row.row.withdrawn,
        "dropped": dropped_games(row),
        "byes": sums.byes,
        "ledger": _adjustments(table, sums.code),
        **({"opening_values": _openings(row, openings)} if openings else {}),
        **({"stage": row.stage} if row.stage else {}),
        **{column.key: column.figure(row) for column in further},
        "values": {key: str(value) for key, value in row.values.items()},
        "decided_by": row.decided_by,
        "reason": reason(facts),
        "ahead": ahead(reason_facts(below, row) if below else None),
        "reason_facts": facts,
    }
    # Further columns are members that no type names.
    return cast("StandingsDocumentRow", members)


def _adjustments(table: RankedTable, code: str) -> list[AdjustmentDocument]:
    adjustments = []
    for line in table.inputs.ledger.get(code, ()):
        adjustment: AdjustmentDocument = {
            "number": line.number,
            "kind": line.kind,
            "amount": exact_json(effect(line.worsens_by, ascending=table.ascending)),
            "reason": line.reason,
        }
        if line.meeting is not None:
            adjustment["meeting"] = line.meeting
        adjustments.append(adjustment)
    return adjustments


def _openings(row: Standing, openings: Sequence[OpeningLine]) -> list[OpeningValueDocument]:
    return [
        {
            "number": line.number,
            "date": line.date,
            "value": exact_json(line.value),
            "games": line.games,
            "wins": line.wins,
            "hands": line.hands,
            "penalty": exact_json(line.penalty),
            "counts": (BEFORE, at) not in row.row.left_out,
        }
        for at, line in enumerate(openings, 1)
    ]


def _members(entrant: NamedEntrant) -> dict[str, list[MemberDocument]]:
    if not entrant.members:
        return {}
    return {"members": [{"player_id": code, "player": name} for code, name in entrant.members]}


def write_csv(
    rows: Sequence[Mapping[str, object]], keys: Collection[str], typed: Collection[str]
) -> bytes:
    """Return rows as CSV; no cell of the `typed` keys starts a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(keys)
    for row in rows:
        cells = ((key, _csv_text(row[key])) for key in keys)
        writer.writerow([escape_formula(cell) if key in typed else cell for key, cell in cells])
    return text.getvalue().encode()


def _csv_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return str(value)


def csv_of(body: bytes) -> bytes:
    """Return the CSV of a table that is stored as JSON only."""
    table: StandingsDocument = json.loads(body)
    further = [column["key"] for column in table["columns"] if column["key"] not in FIXED]
    return write_csv((*table["rows"], *table["provisional_rows"]), (*FIXED, *further), _TYPED)
