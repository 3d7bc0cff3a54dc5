"""A publication laid out for a page: its own JSON as columns, rows and links; no query."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonObject
from scoring.standings.explain import tie_break_reason
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import BYE_SENTENCES, EVENT_SETTINGS
from tournaments.domain.figures import NONE_KNOWN, place_text
from tournaments.domain.standings.criteria import compared_criteria, reason_sentences, sentence
from tournaments.domain.standings.standings_documents import (
    ColumnDocument,
    StandingsDocument,
    StandingsDocumentRow,
    counts_evenings_for_a_place,
    played_for_a_place,
)
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.selectors.standings.history import Trend, get_trends
from tournaments.selectors.standings.sorting import (
    cuts,
    decimal,
    decimals_of,
    decimals_to_tell,
    link_for,
    order_of,
    rows_in_order,
)

OWN_COLUMN: Final = {
    "raw_per_hand": "average_per_hand",
    "raw_total": "points",
    "wins": "win_share",
}
"""Primary value → the column that shows it, where the table has none of the same key."""
HEADS: Final = {
    "average_per_hand": (_("Average a hand"), "p2"),
    "points": (_("Points"), "p2"),
    "hands": (_("Hands"), "p2"),
    "tables": (_("Tables"), "p3"),
    "wins": (_("Won"), "p1"),
    "second": (_("2nd"), "p3"), "third": (_("3rd"), "p3"), "fourth": (_("4th"), "p3"),
    "fifth": (_("5th"), "p3"), "sixth": (_("6th"), "p3"), "seventh": (_("7th"), "p3"),
    "eighth": (_("8th"), "p3"), "ninth": (_("9th"), "p3"), "tenth": (_("10th"), "p3"),
    "eleventh": (_("11th"), "p3"), "twelfth": (_("12th"), "p3"), "thirteenth": (_("13th"), "p3"),
    "moons": (_("Moons"), "p2"),
}  # fmt: skip
"""Columns a page shows, in order: head, and the width from which there is room for it."""
FURTHER: Final = {
    "placement_points": _("Place points"), "match_points": _("Match points"),
    "beaten_mean": _("Opponents beaten"), "raw_per_hand": _("Average that counts"),
    "raw_total": _("Points that count"), "index_per_game": _("Index a game"), "index": _("Index"),
    "evening_points": _("Evening points"), "evenings": _("Evenings"),
    "evenings_won": _("Evenings won"),
    "win_share": _("Tables won"), "moons_against": _("Moons against"),
    "difference": _("Difference"), "dropped": _("Games left out"), "byes": _("Byes"),
    "from_before": _("From before"), "adjustment": _("Penalties, bonuses"),
}  # fmt: skip
"""Heads of columns that not every table has; others show what the publication calls them."""
_NOT_SHOWN: Final = frozenset({"rank", "player_id", "player", "shared_wins", "progress"})
PROGRESS: Final[Mapping[str, Promise]] = {
    "winner": _("winner"),
    "through": _("through"),
    "final": _("final"),
    "undecided": _("undecided"),
    "out": _("out"),
    "consolation": _("consolation"),
}
"""How far an entrant came in a cup or at a cut → the word behind its name."""


@dataclass(frozen=True, slots=True)
class StandingsColumn:
    """A column; `rank` hides it on narrow screens, `sort` has `query` and `aria` of its head, and
    `is_first` shows it before a reader asks for all figures."""

    key: str
    head: str | Promise
    rank: str
    decides: bool
    sort: Mapping[str, str]
    is_first: bool


@dataclass(frozen=True, slots=True)
class StandingsCell:
    """A cell: a number as JSON has it (None shows as a dash), and with all its decimals."""

    column: StandingsColumn
    number: Any
    exact: Any


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One entrant's row, ready to print. `why` is the reason that it is below the row above,
    `ahead` that it is above the next, as published; `compared` the criteria tied before, `cuts` the
    lines drawn below it, `progress` the word for how far it came in a cup, `tie_break` a short
    sentence where a tie-break put it below the row above. `head` is that of the rows
    with the same last stage, empty where the event has no stages that only some reach."""

    place: str
    entrant_id: str
    name: str
    members: tuple[str, ...]
    cells: tuple[StandingsCell, ...]
    why: str
    ahead: str
    is_withdrawn: bool
    is_guest: bool
    facts: JsonObject
    cuts: Sequence[Mapping[str, object]] = ()
    compared: tuple[str, ...] = ()
    openings: Sequence[Mapping[str, object]] = ()
    progress: str = ""
    tie_break: str = ""
    head: str = ""


Compete: TypeAlias = Literal["players", "pairs", "teams", "entrants"]
"""Kind of entrants of an event; `entrants` if players compete with pairs or teams."""
COMPETITORS: Final[Mapping[Compete, Promise]] = {
    "players": _("Player"),
    "pairs": _("Pair"),
    "teams": _("Team"),
    "entrants": _("Name"),
}
"""The head of the column with their names."""
ROWS_A_PAGE: Final = 50
"""A row costs the server a millisecond and the reader two kilobytes."""


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Which page of a long table: its number, or the one that an entrant is on."""

    number: int = 1
    entrant_id: str = ""


@dataclass(frozen=True, slots=True)
class StandingsView:
    """A publication laid out. `provisional_rows` have too few games to be ranked, or are guests,
    who come last; `sorted_by` is
    the key of the column that a reader has sorted by, empty where it is as published. Rows are
    those of the page, `n_ranked` and `places` tell of all. `pages` are the number, the query and
    whether it is this page, of each; empty where there is one."""

    number: int
    published_at: datetime
    digest: str
    as_of: date | None
    round: int | None
    hands: int
    ascending: bool
    provisional_until: datetime | None
    variants: tuple[str, ...]
    columns: tuple[StandingsColumn, ...]
    rows: tuple[StandingsRow, ...]
    provisional_rows: tuple[StandingsRow, ...]
    seed: str
    sorted_by: str
    by_place: Mapping[str, str]
    by_player: Mapping[str, str]
    n_ranked: int
    compete: Compete
    """Kind of the entrants."""
    places: Mapping[str, str]
    """Places as they are written, by the entrant's id."""
    pages: Sequence[tuple[int, str, bool]] = ()
    byes: str | Promise = ""
    """Value of a sit-out, if some sat out more often than others."""
    min_games: int = 0
    is_third: bool = False
    """Games needed for a place; whether these are a third of the most."""
    counts_evenings: bool = False
    """Whether evenings are needed for a place in place of games."""
    is_by_evening: bool = False
    """Whether evenings give the points, so that places are compared with those after evenings."""
    is_so_far: bool = False
    """Whether the last evening goes on after this round, so that its points are those so far."""
    is_knockout: bool = False
    """Whether a knock-out orders rows, by the round that they reached."""
    is_title_open: bool = False
    """Whether a round or stage of several is still to decide who wins."""

    @property
    def competitor(self) -> Promise:
        return COMPETITORS[self.compete]

    paths: Mapping[str, Trend] = field(default_factory=dict)
    """Arrow and small line of each row, by the entrant's id; empty where there are none."""
    is_full: bool = False
    """Whether the reader asks for all figures."""

    @property
    def has_sparklines(self) -> bool:
        return self.is_full and any(path["sparkline"] for path in self.paths.values())

    @property
    def has_openings(self) -> bool:
        """Whether a row has values from before, which its mark stands for."""
        return any(row.openings for row in (*self.rows, *self.provisional_rows))

    @property
    def width(self) -> int:
        """Columns of the table, place and player included."""
        n_columns = sum(self.is_full or column.is_first for column in self.columns)
        return n_columns + 2 + bool(self.paths) + self.has_sparklines

    @property
    def has_unknown_hands(self) -> bool:
        """Whether an entrant has no rank because a game's number of hands is unknown."""
        return any(
            row.cells[0].number is None and row.facts.get("tables") and not row.is_guest
            for row in self.provisional_rows
        )

    @property
    def unranked(self) -> str:
        """Why the provisional rows have no place, for the line above them."""
        if all(row.is_guest for row in self.provisional_rows):
            return self.head_of_guests
        if self.has_unknown_hands:
            return gettext(
                "Not ranked yet: too few games, or a game with an unknown number of hands"
            )
        if self.min_games == 1 and self.counts_evenings:
            return gettext("Not ranked yet: no evenings")
        if self.min_games == 1:
            return gettext("Not ranked yet: no games")
        text = gettext("Not ranked yet: fewer than %(n)s games")
        if self.counts_evenings and self.is_third:
            text = gettext("Not ranked yet: fewer than %(n)s evenings, a third of the most")
        elif self.counts_evenings:
            text = gettext("Not ranked yet: fewer than %(n)s evenings")
        elif self.is_third:
            text = gettext("Not ranked yet: fewer than %(n)s games, a third of the most")
        return text % {"n": self.min_games}

    @property
    def head_of_guests(self) -> str:
        return gettext("Guests: ranked in the evenings, without a place in the season")

    @property
    def before(self) -> int:
        return self.number - 1

    @property
    def shown(self) -> frozenset[str]:
        return frozenset(row.entrant_id for row in (*self.rows, *self.provisional_rows))

    def row_of(self, entrant_id: str) -> StandingsRow | None:
        rows = (*self.rows, *self.provisional_rows)
        return next((row for row in rows if row.entrant_id == entrant_id), None)


_PARTS: Final = ("rows", "provisional_rows")

_EXACT: Final = "values"
"""The key of a column that shows the exact primary value, to four places."""


def standings_view(
    publication: Publication,
    sort: str = "",
    page_query: PageQuery | None = None,
    *,
    base_query: str = "",
    is_full: bool = False,
) -> StandingsView:
    """Return the publication's own JSON as a page prints it, `is_full` with all decimals."""
    body: StandingsDocument = publication.document
    scheme, as_of = body["scheme"], body["as_of"]
    of_event = body.get("event")
    until = of_event.get("provisional_until") if of_event else None
    primary, ascending = scheme["primary"], scheme.get("direction", "asc") == "asc"
    published = {column["key"]: column for column in body["columns"]}
    decides = ranking_column(primary, published)
    order = order_of(sort, (*published, decides))
    sorted_by = order[0]

    boundaries = dict(scheme.get("boundaries") or {})
    if scheme.get("title_open"):
        boundaries.pop("title", None)
    lines = {} if sorted_by else cuts(body["rows"], boundaries)
    every_row = (*body["rows"], *body["provisional_rows"])
    decimals = {}
    for key in (decides, "average_per_hand", *FURTHER):
        values = [cell_value(row, key) for row in every_row]
        exact = decimals_of(values)
        decimals[key] = (exact if is_full else decimals_to_tell(values), exact)

    sorted_rows = {name: rows_in_order(body[name], order, decides, primary) for name in _PARTS}
    sorted_rows["provisional_rows"] = sorted(
        sorted_rows["provisional_rows"], key=lambda row: row.get("guest", False)
    )
    link_query = f"{base_query}sort={sort}&" if sorted_by else base_query
    page_rows, number, pages = _page(sorted_rows, link_query, page_query)
    page = f"&page={number}" if number > 1 else ""

    def link(key: str) -> Mapping[str, str]:
        query, aria = link_for(key, order, decides=decides, ascending=ascending)
        return {"query": f"?{base_query}{query}{page}", "aria": aria}

    played = "hands" if primary in ("raw_per_hand", "raw_total") else "tables"
    shown_first = [decides, "points", "evening_points", played, sorted_by]
    if "evenings" in scheme:
        periods = [key for key in published if key.startswith("period_")]
        shown_first = [decides, "evenings", *periods, sorted_by]
    columns = _columns(decides, primary, published, link, shown_first)
    codes = {row["player_id"] for part in page_rows.values() for row in part}
    sentences, compared = _sentences(every_row, codes), _compared(body, codes)
    names = {row["player_id"]: row["player"] for row in every_row}
    counts_evenings = counts_evenings_for_a_place(scheme)
    for row in every_row:
        n_played = played_for_a_place(row, scheme)
        is_below = row["rank"] is None and n_played < scheme["min_games"]
        if is_below and not row.get("guest") and row["player_id"] in codes:
            facts = {"n": n_played, "needed": scheme["min_games"]}
            why = gettext("no place yet: %(n)s of %(needed)s games") % facts
            if counts_evenings:
                why = gettext("no place yet: %(n)s of %(needed)s evenings") % facts
            sentences[row["player_id"]] = why, sentences[row["player_id"]][1]

    is_knockout = _is_knockout(every_row)
    has_heads = not sorted_by and not is_knockout and any(row.get("stage") for row in body["rows"])

    def rows(name: str) -> tuple[StandingsRow, ...]:
        return tuple(
            _row(row, columns, sentences, lines, decimals, compared, names, has_heads=has_heads)
            for row in page_rows[name]
        )

    byes = ""
    if "evenings" not in scheme:
        byes = _words_for_byes(scheme.get("bye_award", "none"), primary, every_row)
    return StandingsView(
        number=publication.number,
        published_at=publication.published_at,
        digest=publication.digest,
        as_of=date.fromisoformat(meeting) if (meeting := as_of.get("meeting")) else None,
        round=as_of.get("round"),
        hands=as_of.get("hands") or 0,
        ascending=ascending,
        provisional_until=datetime.fromisoformat(until) if until else None,
        variants=tuple((of_event or body["season"]).get("variants", ())),
        columns=columns,
        rows=rows("rows"),
        provisional_rows=rows("provisional_rows"),
        seed=scheme.get("seed") or "",
        sorted_by=sorted_by,
        by_place=link("rank"),
        by_player=link("player"),
        n_ranked=len(body["rows"]),
        compete=_who_compete(every_row),
        places={row["player_id"]: _place(row) for row in every_row},
        pages=pages,
        byes=byes,
        min_games=scheme["min_games"],
        is_third=scheme.get("min_third", False),
        counts_evenings=counts_evenings,
        is_by_evening="evenings" in scheme,
        is_so_far=as_of.get("so_far", False),
        is_knockout=is_knockout,
        is_title_open=scheme.get("title_open", False),
        is_full=is_full,
    )


def _is_knockout(rows: Sequence[StandingsDocumentRow]) -> bool:
    """Whether a knock-out orders rows: some lost at a table and were out."""
    for row in rows:
        facts = row.get("reason_facts")
        if facts and facts.get("knocked_out"):
            return True
    return False


def _words_for_byes(award: str, primary: str, rows: Sequence[StandingsDocumentRow]) -> str:
    """What a sit-out counts in a total; "" for a mean, and where all sat out as often."""
    is_total = primary in PRIMARIES and not PRIMARIES[primary].is_mean
    differ = len({row.get("byes", 0) for row in rows}) > 1
    if not (differ and is_total):
        return ""
    help_text = EVENT_SETTINGS["bye_award"].helps[award]
    return f"{BYE_SENTENCES[award]} {help_text}".strip()


def _who_compete(rows: Sequence[StandingsDocumentRow]) -> Compete:
    """What the rows are of: a pair has two members, a team more, a player none of their own."""
    sizes = {len(row.get("members", ())) for row in rows}
    if sizes <= {0}:
        return "players"
    if sizes == {2}:
        return "pairs"
    return "entrants" if 0 in sizes else "teams"


_Parts: TypeAlias = Mapping[str, Sequence[StandingsDocumentRow]]


def _page(
    parts: _Parts, link_query: str, page_query: PageQuery | None
) -> tuple[_Parts, int, Sequence[tuple[int, str, bool]]]:
    """Return the rows of a page by part, its number (1 for all rows), and links to all pages."""
    codes = [row["player_id"] for name in _PARTS for row in parts[name]]
    if page_query is None or len(codes) <= ROWS_A_PAGE:
        return parts, 1, ()
    last = -(-len(codes) // ROWS_A_PAGE)
    number = min(max(1, page_query.number), last)
    if page_query.entrant_id in codes:
        number = codes.index(page_query.entrant_id) // ROWS_A_PAGE + 1
    begin = (number - 1) * ROWS_A_PAGE
    page_rows: dict[str, Sequence[StandingsDocumentRow]] = {}
    for name in _PARTS:
        page_rows[name] = parts[name][max(0, begin) : max(0, begin + ROWS_A_PAGE)]
        begin -= len(parts[name])
    links = [(n, f"?{link_query}page={n}", n == number) for n in range(1, last + 1)]
    return page_rows, number, links


def ranking_column(primary: str, published: Mapping[str, object]) -> str:
    """Return the column of the primary value; of publications that have none, its exact figure."""
    column = OWN_COLUMN.get(primary, primary)
    return next((key for key in (primary, column) if key in published and key != "wins"), _EXACT)


def column_title(
    decides: str, primary: str, published: Mapping[str, ColumnDocument]
) -> str | Promise:
    """Return the head of the column that decides, as a page prints it."""
    if decides in HEADS:
        return HEADS[decides][0]
    if decides in published and decides not in _NOT_SHOWN:
        return FURTHER.get(decides, published[decides]["short"])
    return FURTHER.get(OWN_COLUMN.get(primary, primary), primary.replace("_", " "))


def _columns(
    decides: str,
    primary: str,
    published: Mapping[str, ColumnDocument],
    link: Callable[[str], Mapping[str, str]],
    shown_first: Collection[str],
) -> tuple[StandingsColumn, ...]:
    further = {
        key: (FURTHER.get(key, column["short"]), "p3")
        for key, column in published.items()
        if key not in HEADS and key not in _NOT_SHOWN
    }
    heads = {**HEADS, **further}
    title = column_title(decides, primary, published)
    titles = {decides: (title, "")}
    titles |= {key: heads[key] for key in heads if key in published and key != decides}
    return tuple(
        StandingsColumn(key, head, rank, key == decides, link(key), key in shown_first)
        for key, (head, rank) in titles.items()
    )


def _row(
    row: StandingsDocumentRow,
    columns: Sequence[StandingsColumn],
    sentences: Mapping[str, tuple[str, str]],
    lines: Mapping[str, Sequence[Mapping[str, object]]],
    decimals: Mapping[str, tuple[int, int]],
    compared: Mapping[str, tuple[str, ...]],
    names: Mapping[str, str],
    *,
    has_heads: bool,
) -> StandingsRow:
    cells = tuple(
        StandingsCell(column, *(decimal(value, n) for n in decimals.get(column.key, (0, 0))))
        for column in columns
        for value in (cell_value(row, column.key),)
    )
    code = row["player_id"]
    ledger = []
    for line in row.get("ledger", ()):
        amount = decimal(line["amount"], decimals_of([line["amount"]]))
        meeting = date.fromisoformat(line["meeting"]) if "meeting" in line else None
        ledger.append({**line, "amount": amount, "meeting": meeting})
    openings = [
        {**line, "date": date.fromisoformat(line["date"])} for line in row.get("opening_values", ())
    ]
    why, ahead = sentences[code]
    head = ""
    if has_heads:
        head = row.get("stage") or gettext("Others")
    return StandingsRow(
        place=_place(row),
        entrant_id=code,
        name=row["player"],
        members=tuple(member["player"] for member in row.get("members", ())),
        cells=cells,
        why=why,
        ahead=ahead,
        is_withdrawn=bool(row.get("withdrawn")),
        is_guest=bool(row.get("guest")),
        facts={**row, "ledger": ledger},
        openings=openings,
        cuts=lines.get(code, ()),
        compared=compared.get(code, ()),
        progress=str(PROGRESS.get(row.get("progress") or "", "")),
        tie_break=tie_break_reason(
            row.get("reason_facts"), name=lambda code: names.get(code, code)
        ),
        head=head,
    )


def _place(row: StandingsDocumentRow) -> str:
    return place_text(row["rank"], is_tied=row["tied"]) or NONE_KNOWN


def _sentences(
    rows: Sequence[StandingsDocumentRow], codes: Collection[str]
) -> dict[str, tuple[str, str]]:
    names = {row["player_id"]: row["player"] for row in rows}
    why, leads = dict.fromkeys(codes, ""), dict.fromkeys(codes, "")
    for above, row in pairwise(rows):
        code = row["player_id"]
        other = above["player_id"]
        if code not in codes and other not in codes:
            continue
        # Publications of old releases have sentences only.
        if "reason_facts" in row:
            why[code], leads[other] = reason_sentences(row["reason_facts"], names)
        else:
            why[code] = sentence(row.get("reason", ""), other, above["player"])
            leads[other] = sentence(above.get("ahead", ""), code, row["player"])
    return {code: (why[code], leads[code]) for code in codes}


def _compared(body: StandingsDocument, codes: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    scheme = body["scheme"]
    sentences = defaultdict[str, list[str]](list)
    for above, below in pairwise(body["rows"]):
        criteria = compared_criteria(above, below, scheme["tie_breaks"], scheme["primary"])
        for row in (above, below) if criteria else ():
            if row["player_id"] in codes:
                sentences[row["player_id"]] += criteria
    return {code: tuple(dict.fromkeys(lines)) for code, lines in sentences.items()}


def cell_value(row: StandingsDocumentRow, key: str) -> object:
    """Return the value of a published row's cell, None for a dash."""
    if key == _EXACT:
        # As the published averages are printed: half to even, four places.
        exact = next(iter(row["values"].values()), None)
        return decimal(exact, 4)
    number = row.get(key)
    is_dash = not number and key in ("hands", "dropped", "byes", "adjustment")
    return None if is_dash else number


def top_of(
    view: StandingsView, event: Event, *, at_most: int, keys: Collection[str]
) -> StandingsView:
    """Return a table of the first `at_most` rows, each with what moved it; one query."""
    rows = tuple(
        replace(row, cells=tuple(cell for cell in row.cells if _stays(cell.column, keys)))
        for row in view.rows[:at_most]
    )
    entrant_ids = {row.entrant_id for row in rows}
    return replace(
        view,
        rows=rows,
        columns=tuple(column for column in view.columns if _stays(column, keys)),
        paths=get_trends(event, view.round, view.as_of, view.places, entrant_ids),
        is_full=True,
    )


def _stays(column: StandingsColumn, keys: Collection[str]) -> bool:
    return column.decides or column.key in keys
