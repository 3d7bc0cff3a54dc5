"""Rank an event's standings, and render them as JSON and CSV."""

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from fractions import Fraction
from typing import Final, cast

from scoring.json_types import JsonDict
from scoring.standings.explain import ahead, four_places, reason, reason_facts
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rank import Standing, played_units, required_games
from scoring.standings.rows import Evidence, Row
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.figures import exact_json
from tournaments.domain.standings.standings_documents import (
    AdjustmentDocument,
    BestOf,
    EveningAbout,
    EveningSchemeDocument,
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
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.games import known_moons
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.standings.correction_window import window_ends
from tournaments.selectors.standings.evening_places import StoredEvenings
from tournaments.selectors.standings.opening_values import BEFORE, OpeningLine
from tournaments.services.publishing.entrant_rows import (
    EntrantInputs,
    NamedEntrant,
    entrant_inputs,
)
from tournaments.services.publishing.evening_points import event_rows
from tournaments.services.publishing.ranking import rank_rows
from tournaments.services.publishing.stages_reached import (
    AsOf,
    StagesReached,
    as_of,
    played_rules,
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
    season_points_column,
)


@dataclass(frozen=True, slots=True)
class RankedTable:
    settings: Settings
    low_wins: bool
    placed: tuple[Standing, ...]
    inputs: EntrantInputs
    as_of: AsOf
    is_complex: bool
    seed: str

    @property
    def ascending(self) -> bool:
        return PRIMARIES[self.settings.primary].is_ascending(low_wins=self.low_wins)

    @property
    def evenings_ascending(self) -> bool:
        """Whether less is better in an evening: penalties of evenings are in their unit."""
        return PRIMARIES[self.settings.games_ranked_by].is_ascending(low_wins=self.low_wins)


@dataclass(frozen=True, slots=True)
class DraftStandings(RankedTable):
    """A table that is not published yet.

    `evenings` are the places of evenings that are to be kept with it, None if they are as before.
    `is_title_open` while a round or stage of several is to decide who wins the event.
    `season_points` are what the places of an evening give in the season, by code; None where they
    give none.
    """

    event: Event
    variants: tuple[str, ...]
    is_title_open: bool = False
    evenings: StoredEvenings | None = None
    season_points: Mapping[str, Fraction] | None = None


@dataclass(frozen=True, slots=True)
class Rendered:
    """The bytes of a table: the JSON without the member `publication`, and the CSV."""

    body: bytes
    csv: bytes

    def document(self) -> JsonDict:
        document: JsonDict = json.loads(self.body)
        return document


_TYPED: Final = frozenset({"player_id", "player"})
GUEST: Final = "guest"
"""The member, and the column of a CSV, that says who is a guest."""


def draft_standings(
    event: Event,
    rows: Sequence[Row] | None = None,
    evidence: Evidence | None = None,
    *,
    settings: Settings | None = None,
    inputs: EntrantInputs | None = None,
    is_anew: bool = False,
) -> DraftStandings:
    """Rank the entrants, querying data not passed; rendering the draft makes no query.

    `is_anew`: evenings are ranked again even if their places are kept.
    """
    settings = settings or settings_of(event)
    inputs = inputs or entrant_inputs(event, settings)
    evenings = None
    if rows is None:
        of_event = event_rows(event, settings, inputs, is_anew=is_anew)
        rows, evenings = of_event.rows, of_event.evenings
    reached = StagesReached(event)
    placed = rank_rows(event, rows, evidence, settings=settings, reached=reached)
    draft = unranked_draft(event, settings, inputs, reached)
    return replace(draft, placed=placed, evenings=evenings)


def unranked_draft(
    event: Event, settings: Settings, inputs: EntrantInputs, reached: StagesReached
) -> DraftStandings:
    """Return the table of an event as it is now but for its rows, of which it has none."""
    rules = rules_of(default_snapshot(event))
    played = played_rules(event) or (rules,)
    return DraftStandings(
        event=event,
        settings=settings,
        low_wins=low_wins(rules),
        placed=(),
        inputs=inputs,
        as_of=as_of(event),
        variants=tuple(sorted({rules.id for rules in played})),
        is_complex=any(rules.keys.number == "complex" for rules in played),
        seed=event.seed,
        is_title_open=reached.is_staged and not event.is_over and not reached.is_decided,
    )


def standings_as_stored(event_id: int, *, is_anew: bool = False) -> DraftStandings:
    """Rank the entrants of an event that is read anew, with what this transaction changed."""
    event = Event.objects.select_related("club", "season").get(pk=event_id)
    return draft_standings(event, is_anew=is_anew)


def render_draft(table: DraftStandings) -> Rendered:
    """Return the bytes of a table of an event."""
    return render_table(table, club=table.event.club, about=_about(table))


def draft_body(table: DraftStandings, *, evening: EveningAbout | None = None) -> bytes:
    """Return the JSON of a table of an event, or of one of its evenings, without a CSV."""
    about = _about(table)
    if evening is not None:
        about["evening"] = evening
    return compact(_lay_out(table, club=table.event.club, about=about).document)


def _about(table: DraftStandings) -> dict[str, object]:
    """Return the member that says whose table it is."""
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
    return {"event": about}


@dataclass(frozen=True, slots=True)
class _Layout:
    """A table as JSON, its rows in order, and the keys of its columns."""

    document: JsonDict
    rows: Sequence[Mapping[str, object]]
    keys: Sequence[str]


def render_table(table: RankedTable, *, club: Club, about: Mapping[str, object]) -> Rendered:
    """Return the bytes of a table; `about` is the member that says whose it is; no query."""
    layout = _lay_out(table, club=club, about=about)
    columns = with_guests(layout.keys, layout.rows)
    return Rendered(compact(layout.document), write_csv(layout.rows, columns, _TYPED))


def _lay_out(table: RankedTable, *, club: Club, about: Mapping[str, object]) -> _Layout:
    # A substitute's results count for the pair or team; its own ones are on the page of the player.
    table = replace(table, placed=tuple(row for row in table.placed if not row.row.is_substitute))
    further = further_columns(table.placed, table.settings, ascending=table.ascending)
    if isinstance(table, DraftStandings) and table.season_points is not None:
        further = (*further, season_points_column(table.season_points))
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
        "as_of": table.as_of.document(),
        "scheme": _scheme(table),
        "columns": [
            {"key": key, "short": short, "title": title} for key, (short, title) in columns.items()
        ],
        "rows": [row for row in rows if row["qualified"]],
        "provisional_rows": [row for row in rows if not row["qualified"]],
    }
    keys = [*FIXED, *(column.key for column in further)]
    return _Layout(body, rows, keys)


def with_guests(keys: Sequence[str], rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the columns of a CSV: one more says who is a guest, if somebody is."""
    if any(row.get(GUEST) for row in rows):
        return [*keys, GUEST]
    return list(keys)


def _scheme(table: RankedTable) -> SchemeDocument:
    settings = table.settings
    counts = (
        played_units(row.sums, settings.min_unit) for row in table.placed if not row.row.is_guest
    )
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
    if settings.counts_evenings:
        scheme["evenings"] = _evening_scheme(settings)
    if settings.table_owners != "all":
        scheme["substitutes"] = settings.table_owners
    return scheme


def _evening_scheme(settings: Settings) -> EveningSchemeDocument:
    scheme: EveningSchemeDocument = {
        "ranked_by": settings.evening_ranking,
        "points": list(settings.evening_points),
        "min_unit": settings.min_unit,
        "period_evenings": settings.period_evenings,
        "best_periods": settings.best_periods,
    }
    if settings.counts_excuses:
        scheme["excused"] = settings.excused
        if settings.excused == "fixed":
            scheme["excused_points"] = settings.excused_points
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
    min_unit = table.settings.min_unit
    facts = reason_facts(row, above, min_unit=min_unit)
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
        **({GUEST: True} if entrant.is_guest else {}),
        "dropped": dropped_games(row),
        **_of_evenings(row, table.settings),
        "byes": sums.byes,
        "ledger": _adjustments(table, sums.code),
        **({"opening_values": _openings(row, openings)} if openings else {}),
        **({"stage": row.stage} if row.stage else {}),
        **{column.key: column.figure(row) for column in further},
        "values": {key: str(value) for key, value in row.values.items()},
        "decided_by": row.decided_by,
        "reason": reason(facts),
        "ahead": ahead(reason_facts(below, row, min_unit=min_unit) if below else None),
        "reason_facts": facts,
    }
    # Further columns are members that no type names.
    return cast("StandingsDocumentRow", members)


def _of_evenings(row: Standing, settings: Settings) -> dict[str, object]:
    """Return the members of a row that an event has whose evenings have places."""
    if not settings.ranks_evenings:
        return {}
    members: dict[str, object] = {
        "evenings_second": int(row.sums.evenings_second),
    }
    if settings.period_evenings:
        members["periods"] = [
            {
                "number": period.number,
                "value": exact_json(period.value),
                "counts": period.counts,
            }
            for period in row.row.periods
        ]
    return members


def _adjustments(table: RankedTable, code: str) -> list[AdjustmentDocument]:
    adjustments = []
    for line in table.inputs.ledger.get(code, ()):
        ascending = table.ascending
        if line.meeting is not None:
            ascending = table.evenings_ascending
        adjustment: AdjustmentDocument = {
            "number": line.number,
            "kind": line.kind,
            "amount": exact_json(effect(line.worsens_by, ascending=ascending)),
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
        values = {GUEST: False, **row}
        cells = ((key, _csv_text(values[key])) for key in keys)
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
    rows = (*table["rows"], *table["provisional_rows"])
    return write_csv(rows, with_guests([*FIXED, *further], rows), _TYPED)
