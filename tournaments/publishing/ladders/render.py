"""A ladder's bytes: its list with how each one came there, and its ratings, as JSON and as CSV.

A function of stored rows alone, like the bytes of standings: no clock and no database id shows.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from scoring.ladders.rating import rating_rows
from scoring.ladders.rating_methods import MemberRating
from scoring.ladders.replay import explain_move
from scoring.ladders.rules import LadderRules
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.standings.ladder_documents import (
    LadderOwnRating,
    LadderPlaceDocument,
    LadderRatingDocument,
)
from tournaments.domain.standings.publication_head import compact
from tournaments.presenters.ladders.ladder import change, figure, rating_text
from tournaments.publishing.ladders.inputs import LadderInputs
from tournaments.publishing.ladders.positions import ComputedPositions
from tournaments.publishing.ladders.ratings import ComputedRatings
from tournaments.publishing.standings.render import Rendered
from tournaments.publishing.standings.rows import NamedEntrant

COLUMNS: Final = {
    "place": ("#", "Place"),
    "player_id": ("Id", "Player id"),
    "player": ("Player", "Player"),
    "up": ("±", "Places up by the last move"),
    "story": ("Last move", "Last move"),
    "moved_on": ("On", "Day of the last move"),
    "games": ("G", "Rated games"),
    "last_played": ("Played", "Day of the last rated game"),
    "rating": ("Rating", "Rating"),
    "provisional": ("?", "Too few games for a rank"),
}
"""Key → short head, title: the columns of the list and of its CSV, in this order."""


def render_ladder(
    inputs: LadderInputs,
    names: Mapping[str, NamedEntrant],
    positions: ComputedPositions,
    ratings: ComputedRatings,
) -> Rendered:
    """Return the bytes of a ladder; no query."""
    event, club, rules = inputs.event, inputs.event.club, inputs.rules
    on = _as_of(inputs)
    rows = _rows(names, positions, ratings, rules)
    body = {
        "club": {"slug": club.slug, "name": club.name},
        "event": {
            "slug": event.slug,
            "name": event.name,
            "kind": event.kind,
            "state": event.state,
        },
        "as_of": {
            "on": on.isoformat() if on else None,
            "steps": len(inputs.log),
            "games": len(inputs.games),
        },
        "rules": rules.as_json(),
        "columns": [
            {"key": key, "short": short, "title": title} for key, (short, title) in COLUMNS.items()
        ],
        "rows": rows,
        "ratings": _ratings(names, inputs, ratings, rules),
    }
    return Rendered(compact(body), ladder_csv(rows))


def _as_of(inputs: LadderInputs) -> date | None:
    """The last day on which anything happened; steps need not be in the order of their days."""
    days = [event.on for event in inputs.log]
    days += [game.at.played_on for game in inputs.games]
    return max(days, default=None)


def _rows(
    names: Mapping[str, NamedEntrant],
    positions: ComputedPositions,
    ratings: ComputedRatings,
    rules: LadderRules,
) -> list[LadderPlaceDocument]:
    shown_names = {code: named.name for code, named in names.items()}
    found: list[LadderPlaceDocument] = []
    for place, code in enumerate(positions.ladder.order, 1):
        move, rated = positions.last.get(code), ratings.ratings.members.get(code)
        found.append(
            {
                "place": place,
                "player_id": code,
                "player": shown_names.get(code, code),
                "up": move.up if move else None,
                "story": explain_move(move, shown_names) if move else None,
                "moved_on": move.on.isoformat() if move else None,
                **_rating(rated, rules),
            }
        )
    return found


def _rating(rated: MemberRating | None, rules: LadderRules) -> LadderOwnRating:
    if rated is None:
        return {
            "games": 0,
            "last_played": None,
            "rating": None,
            "rating_shown": None,
            "provisional": True,
        }
    return {
        "games": rated.games,
        "last_played": rated.last_played.isoformat() if rated.last_played else None,
        "rating": figure(rated.values, rules),
        "rating_shown": rating_text(rated.values, rules),
        "provisional": rated.games < rules.provisional_games,
    }


def _ratings(
    names: Mapping[str, NamedEntrant],
    inputs: LadderInputs,
    made: ComputedRatings,
    rules: LadderRules,
) -> list[LadderRatingDocument]:
    """Rows of who has played lately, seen from the last rated game: a ladder that rests keeps
    showing its ratings."""
    found: list[LadderRatingDocument] = []
    if not inputs.games:
        return found
    for row in rating_rows(made.ratings, inputs.games[-1].at.played_on, rules):
        before, after = made.last[row.member]
        own = _rating(made.ratings.members[row.member], rules)
        found.append(
            {
                "rank": row.rank,
                "player_id": row.member,
                "player": names[row.member].name,
                "rating": own["rating"],
                "spread": round(after.values[1], 3) if len(after.values) > 1 else None,
                "rating_shown": own["rating_shown"],
                "games": row.games,
                "provisional": row.is_provisional,
                "change": change(before.values, after.values, rules),
                "last_played": own["last_played"],
            }
        )
    return found


def ladder_csv(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return the list as CSV; what a person typed never starts a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(row[key], key) for key in COLUMNS])
    return text.getvalue().encode()


def _cell(value: object, key: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else str(value)
    return escape_formula(text) if key in _TYPED else text


_TYPED: Final = frozenset({"player_id", "player", "story"})
