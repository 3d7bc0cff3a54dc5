"""The difference between two publications of an event: moves, new and lost rows, and causes.

Corrections, voids, penalties and settings are in the event's change log, new hands and imports in
the audit trail. Both record the first publication that has them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import QuerySet

from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.figures import place_text
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.standings import Change, Publication
from tournaments.selectors.audit import event_subjects, is_about
from tournaments.selectors.clubs.names import texts_for
from tournaments.selectors.events.change_log import OF_EVENINGS
from tournaments.selectors.standings.publications import publication_at
from tournaments.selectors.standings.standings_view import cell_value, ranking_column

MOST_CAUSES: Final = 500
"""Maximum number of listed causes."""


def difference(event: Event, first: int, second: int) -> Mapping[str, object]:
    """Return the difference between two publications, given in any order.

    `moved` are those whose place changed, `changed` those whose value alone changed; `at_tables`
    are the causes at each table, in the order of play, and `others` those at no table.
    """
    older, newer = (publication_at(event, number) for number in sorted((first, second)))
    return {
        "older": older.number,
        "newer": newer.number,
        "older_at": older.published_at,
        "newer_at": newer.published_at,
        **compare_documents(older.document, newer.document),
        **_causes(event, older, newer),
    }


def compare_documents(
    older: StandingsDocument, newer: StandingsDocument
) -> Mapping[str, Sequence[JsonDict]]:
    """Return the rows of two tables that moved, that changed in value alone, that came and went."""
    before, after = _rows(older), _rows(newer)
    rows = [_moved(code, before[code], row) for code, row in after.items() if code in before]
    return {
        "moved": [row for row in rows if row["was"] != row["now"]],
        "changed": [
            row for row in rows if row["was"] == row["now"] and row["value_was"] != row["value_now"]
        ],
        "came": [_moved(code, None, row) for code, row in after.items() if code not in before],
        "went": [_moved(code, row, None) for code, row in before.items() if code not in after],
    }


def _rows(body: StandingsDocument) -> dict[str, Mapping[str, object]]:
    key = ranking_column(
        body["scheme"]["primary"], {column["key"]: column for column in body["columns"]}
    )
    return {
        row["player_id"]: {
            "player": row["player"],
            "place": place_text(row["rank"], is_tied=row["tied"]),
            "value": cell_value(row, key),
        }
        for row in (*body["rows"], *body["provisional_rows"])
    }


def _moved(code: str, before: JsonObject | None, after: JsonObject | None) -> JsonDict:
    """Return a row of both tables; `by` are the places won, 0 where either has no rank."""
    was, now = before or {}, after or {}
    places = [row["place"].rstrip("=") for row in (was, now) if row.get("place")]
    by = int(places[0]) - int(places[1]) if len(places) == 2 else 0
    return {
        "entrant_id": code,
        "name": now.get("player") or was["player"],
        "was": was.get("place", ""),
        "now": now.get("place", ""),
        "value_was": was.get("value"),
        "value_now": now.get("value"),
        "by": by,
        "places_lost": -by,
    }


def _causes(event: Event, older: Publication, newer: Publication) -> Mapping[str, object]:
    changes = list(
        Change.objects.filter(
            event=event, version__gt=older.version, version__lte=newer.newest_version
        )
        .exclude(kind__in=OF_EVENINGS)
        .order_by("version", "pk")[: MOST_CAUSES + 1]
    )
    entered = entered_since(event, older.audit_number).filter(number__lte=newer.audit_number)
    lines = list(entered.order_by("number")[: MOST_CAUSES + 1])
    tables: dict[str, list[JsonDict]] = {}
    without_table: list[JsonDict] = []
    say = texts_for(event)
    changed = [
        (
            change.table,
            {
                "kind": change.kind,
                "at": change.at,
                "hand": change.number,
                "reason": say(change.reason),
                "by": change.by,
                "facts": change.facts,
            },
        )
        for change in changes[:MOST_CAUSES]
        if not change.facts.get("is_new")  # among the new hands
    ]
    for code, cause in (*_new_hands(lines), *changed):
        (tables.setdefault(code, []) if code else without_table).append(cause)
    return {
        "at_tables": [
            {"code": code, "causes": tables[code]} for code in sorted(tables, key=_order)
        ],
        "others": without_table,
        "is_cut": max(len(changes), len(lines)) > MOST_CAUSES,
    }


def entered_since(event: Event, number: int) -> QuerySet[AuditLine]:
    """Return the audit lines of new hands and imports of an event after the line `number`."""
    return AuditLine.objects.filter(
        is_about(event_subjects(event), ""),
        club=event.club_id,
        number__gt=number,
        act__in=("enter_hand", "import_sheets"),
    )


def _new_hands(lines: Sequence[AuditLine]) -> Iterable[tuple[str, JsonDict]]:
    for line in lines[:MOST_CAUSES]:
        parts = dict(part.split(":", 1) for part in line.subject.split("/") if ":" in part)
        cause: JsonDict = {"at": line.at, "hand": None, "reason": "", "by": "", "facts": {}}
        if line.act == "import_sheets":
            facts = {"import": int(parts["import"]), "hands": line.facts.get("added", 0)}
            yield "", {**cause, "kind": "import", "facts": facts}
        else:
            yield parts["table"], {**cause, "kind": "new_hand", "hand": int(parts["hand"])}


def _order(code: str) -> tuple[int, ...]:
    return tuple(int(part) for part in code.removeprefix("r").split("t") if part.isdecimal())
