"""What the result of an evening says but for names and settings: places, values, who won."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from django.utils import formats
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from scoring.standings.metrics import EVENING_POINTS
from tournaments.domain.name_matching import listed_people

Outcome: TypeAlias = Mapping[str, tuple[int | None, str | None]]
"""The place and the value of the primary criterion of each entrant, by code."""
OF_NAMES: Final = ("player", "members", "withdrawn", "reason", "ahead", "reason_facts", "ledger")
"""Members of a row with names, or what says in words what the figures say."""
GOING_ON: Final = ("through", "final", "winner")
"""What `progress` says of those who go on, or went on to the end."""
NOBODY_MERGED: Final[Mapping[str, str]] = MappingProxyType({})


def outcome_of(document: JsonDict, merged_into: Mapping[str, str] = NOBODY_MERGED) -> Outcome:
    """Return the places and values of a table.

    Args:
        merged_into: codes of entrants who were merged since, with those that they have now.

    >>> row = {"player_id": "RL07", "rank": 1, "values": {"wins": "2"}}
    >>> table = {"scheme": {"primary": "wins"}, "rows": [row], "provisional_rows": []}
    >>> outcome_of(table, {"RL07": "RL03"})
    {'RL03': (1, '2')}
    """
    primary = document["scheme"]["primary"]
    rows = (*document["rows"], *document["provisional_rows"])
    return {
        merged_into.get(row["player_id"], row["player_id"]): (
            row["rank"],
            row["values"].get(primary),
        )
        for row in rows
    }


def is_same_but_for_names(document: JsonDict, other: JsonDict) -> bool:
    """Whether two tables of an evening have the same figures of the same entrants.

    >>> row = {"player_id": "RL07", "player": "Ada", "rank": 1, "points": 4, "reason": "Ada won."}
    >>> table = {"rows": [row], "provisional_rows": []}
    >>> renamed = {**table, "rows": [{**row, "player": "Ida", "reason": "Ida won."}]}
    >>> is_same_but_for_names(table, renamed)
    True
    >>> corrected = {**table, "rows": [{**row, "points": 5}]}
    >>> is_same_but_for_names(table, corrected)
    False

    Tables of evenings have what their places give in the season since 0.7.0:

    >>> with_points = {**table, "rows": [{**row, "evening_points": 1}]}
    >>> is_same_but_for_names(table, with_points)
    True
    >>> is_same_but_for_names(with_points, {**table, "rows": [{**row, "evening_points": 2}]})
    False
    """
    left_out: tuple[str, ...] = OF_NAMES
    if not (_has_season_points(document) and _has_season_points(other)):
        left_out = (*OF_NAMES, EVENING_POINTS)
    return _figures_of(document, left_out) == _figures_of(other, left_out)


def _has_season_points(document: JsonDict) -> bool:
    return any(EVENING_POINTS in row for row in _rows_of(document))


def _figures_of(
    document: JsonDict, left_out: Collection[str]
) -> Mapping[str, Mapping[str, object]]:
    return {
        row["player_id"]: {key: value for key, value in row.items() if key not in left_out}
        for row in _rows_of(document)
    }


def _rows_of(document: JsonDict) -> Sequence[Mapping[str, Any]]:
    return (*document["rows"], *document["provisional_rows"])


def names_of_first(names: Sequence[str], n_more: int = 0) -> str:
    """Return who is first, all who share the place: the last ones are counted, not named.

    >>> names_of_first(["Ada"]), names_of_first(["Ada", "Ben"])
    ('Ada', 'Ada and Ben')
    >>> names_of_first(["Ada", "Ben", "Cy"], 2)
    'Ada · Ben · Cy and 2 more'
    """
    named = listed_people(names, _("and"))
    if not n_more:
        return named
    return _("%(names)s and %(n)s more") % {"names": named, "n": n_more}


def decided_on(document: JsonDict) -> date | None:
    """Return the day of the evening that decided the event, where that is not this one."""
    day = document["evening"].get("decided_on")
    if day is None:
        return None
    return date.fromisoformat(day)


def of_consolation_sentence(document: JsonDict) -> str:
    """Return that an evening came after the one that decided the event; "" for any other evening.

    Texts say it, as the places beside it are those of the event and not of the evening.
    """
    day = decided_on(document)
    if day is None:
        return ""
    sentence = _("The evening of %(day)s decided the event. This one was for those who were out.")
    return sentence % {"day": formats.date_format(day, "j M Y")}


def winners_of(document: JsonDict) -> Sequence[str]:
    """Return the codes of those who share the first place of an evening.

    Where the table is that of the event as of then these are the winners of the event; nobody wins
    an evening on which it was not decided.

    >>> rows = [{"player_id": "RL07", "rank": 1, "progress": "final"}]
    >>> cup = {"evening": {"counts": "event"}, "rows": rows}
    >>> winners_of(cup)
    []
    >>> decided = {**cup, "rows": [{**rows[0], "progress": "winner"}]}
    >>> winners_of(decided)
    ['RL07']
    >>> consolation = {"counts": "event", "decided_on": "2025-11-06"}
    >>> winners_of({**decided, "evening": consolation})
    []
    """
    if decided_on(document) is not None:
        return []
    if document["evening"]["counts"] != "evening":
        return [row["player_id"] for row in document["rows"] if row.get("progress") == "winner"]
    return [row["player_id"] for row in document["rows"] if row["rank"] == 1]


def through_in(document: JsonDict) -> frozenset[str]:
    """Return the codes of those who go on, or went on to the end, in a table of an event.

    >>> finalist = {"player_id": "RL07", "progress": "final"}
    >>> through_in({"rows": [finalist, {"player_id": "RL03", "progress": "out"}]})
    frozenset({'RL07'})
    """
    rows = document["rows"]
    return frozenset(row["player_id"] for row in rows if row.get("progress") in GOING_ON)
