"""Ids of publications and deadlines in feeds and calendars.

An id follows from what an event keeps for ever (its seed, when it was created), so that it stays
through new names, new addresses and a move to another server.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias, TypedDict
from uuid import UUID, uuid5

from scoring.numbers import ScoreJson
from scoring.standings.explain import ReasonFacts
from scoring.standings.rank import Progress
from tournaments.domain.etags import digest_of
from tournaments.domain.event_settings import BestOf as BestOf
from tournaments.models.events import Event

_OURS: Final = UUID("6f0c4a0e-6a5e-4c1c-9d6b-2b7d3c7f8a11")

_HEAD: Final = b'{"publication":'
_MOMENT: Final = "%Y-%m-%dT%H:%M:%SZ"

Day: TypeAlias = Annotated[str, "date"]
"""A local day, as in 2025-10-30."""

Moment: TypeAlias = Annotated[str, "date-time"]
"""A moment in UTC, to the second."""


@dataclass(frozen=True, slots=True)
class MemberHelp:
    """What the documented schema says about a member of a document."""

    text: str


class PublicationHead(TypedDict):
    """The member `publication`: which one it is, and the digest of all the others."""

    number: int
    version: int
    published_at: Moment
    digest: str


class ClubName(TypedDict):
    """The member `club`."""

    slug: str
    name: str


class ProgressDocument(TypedDict):
    """The member `as_of` of standings: how far the event is.

    `so_far` is true where its last evening goes on after this round, under evening points.
    """

    meeting: Day | None
    round: int | None
    hands: int
    so_far: NotRequired[bool]


class EveningSchemeDocument(TypedDict):
    """How places of evenings give points: each evening is `ranked_by` a value, and `points` are for
    its places; an empty list is as many as are ranked, less the place, plus one.

    `excused` is what an excused evening gives, and left out where that is nothing.
    """

    ranked_by: str
    points: Sequence[int]
    min_unit: str
    period_evenings: int
    best_periods: int
    excused: NotRequired[str]
    excused_points: NotRequired[int]


class SchemeDocument(TypedDict):
    """The member `scheme`: the criteria of the table.

    `title_open` is true while a further round or stage decides who wins, and else left out.
    """

    primary: str
    direction: NotRequired[str]
    tie_breaks: Sequence[str]
    drop_worst: int
    min_games: int
    min_third: NotRequired[bool]
    substitutes: NotRequired[str]
    seed: NotRequired[str | None]
    best_of: NotRequired[BestOf | None]
    bye_award: NotRequired[str]
    boundaries: NotRequired[Mapping[str, int]]
    title_open: NotRequired[bool]
    evenings: NotRequired[EveningSchemeDocument]


class PeriodValueDocument(TypedDict):
    """The value of a row in a period; `counts` is false if others are the best periods."""

    number: int
    value: int | str
    counts: bool


class ColumnDocument(TypedDict):
    """A column: the key of its member in each row, its short head and its title."""

    key: str
    short: str
    title: str


class MemberDocument(TypedDict):
    """A player of a pair or of a team."""

    player_id: str
    player: str


class AdjustmentDocument(TypedDict):
    """A penalty or bonus of a row, in units of its primary value.

    `meeting` is the day of its evening; a line of the season has none.
    """

    number: int
    kind: str
    amount: int | str
    reason: str
    meeting: NotRequired[str]


class OpeningValueDocument(TypedDict):
    """The opening value of a row, in units of its primary value.

    `counts` is false where it is dropped; `games`, `wins` and `hands` are null if not known.
    """

    number: int
    date: str
    value: int | str
    games: int | None
    wins: int | None
    hands: int | None
    penalty: int | str
    counts: bool


class StandingsDocumentRow(TypedDict):
    """The members that every row has. Each further column is a member under its key.

    `progress` is how far the entrant came where rounds of a knock-out or a cut decide who goes on:
    `winner` once the last of them is decided, `through` to the next round, in the `final`,
    `undecided` by a tie, `out`, or out and in the `consolation`; null while nothing decided it. A
    `guest` is ranked in the evenings only.
    """

    rank: int | None
    tied: Annotated[bool, MemberHelp("Whether others share the rank.")]
    qualified: Annotated[
        bool, MemberHelp("Whether the row has a rank; `provisional_rows` have none.")
    ]
    player_id: str
    player: str
    members: NotRequired[Sequence[MemberDocument]]
    tables: int
    hands: int
    points: ScoreJson | None
    average_per_hand: str | None
    average_exact: str | None
    wins: int
    shared_wins: int
    second: int
    third: int
    fourth: int
    moons: int | None
    withdrawn: NotRequired[bool]
    guest: NotRequired[bool]
    dropped: NotRequired[int]
    byes: NotRequired[int]
    evenings: NotRequired[int]
    evenings_won: NotRequired[int]
    evenings_second: NotRequired[int]
    periods: NotRequired[Sequence[PeriodValueDocument]]
    ledger: NotRequired[Sequence[AdjustmentDocument]]
    opening_values: NotRequired[Sequence[OpeningValueDocument]]
    stage: NotRequired[
        Annotated[str, MemberHelp("The name of the last stage that the entrant has gone on to.")]
    ]
    progress: NotRequired[
        Annotated[
            Progress | None,
            MemberHelp(
                "How far the entrant came where rounds of a knock-out or a cut decide who goes on; "
                "null while nothing decided it."
            ),
        ]
    ]
    values: Annotated[
        Mapping[str, str],
        MemberHelp(
            "The exact numbers that rank the row, by key: `scheme.primary`, and each tie-break "
            "that was asked about it."
        ),
    ]
    decided_by: Annotated[
        str | None,
        MemberHelp(
            "The key of the value that puts the row behind the one above it: `scheme.primary`, a "
            "tie-break, `playoff`, or `stage` if those above went on to a later stage; null for "
            "the first row and for one that shares the rank of the row above it."
        ),
    ]
    reason: NotRequired[
        Annotated[
            str, MemberHelp("Why the row is behind the one above it, in words; empty without one.")
        ]
    ]
    ahead: NotRequired[
        Annotated[str, MemberHelp("Why the row is above the next one, or tied with it, in words.")]
    ]
    reason_facts: NotRequired[ReasonFacts | None]


class EventAbout(TypedDict):
    """The member `event` of standings."""

    slug: str
    name: str
    kind: str
    season: str | None
    variants: NotRequired[Sequence[str]]
    state: str
    provisional_until: NotRequired[Moment | None]


class EveningAbout(TypedDict):
    """The member `evening` of the table of an evening.

    `counts` is `evening` where only its games count, and `event` where the table is that of the
    event as of the evening: in a knock-out, and in a tournament of several stages.
    """

    date: Day
    counts: Annotated[
        Literal["evening", "event"],
        MemberHelp(
            "evening: only games of the evening count. event: the table is that of the event as of "
            "the evening, as in a knock-out and in a tournament of several stages."
        ),
    ]
    decided_on: NotRequired[
        Annotated[
            Day,
            MemberHelp(
                "Where the event was decided on another evening: the day of that one. An evening "
                "on which only a consolation was played after the final decides nothing."
            ),
        ]
    ]
    next_result_at: NotRequired[
        Annotated[
            str,
            MemberHelp(
                "While the newest result is being corrected: when the next one is stored, if "
                "nothing else is changed. Only in `meetings/{day}/standings`."
            ),
        ]
    ]


class UncountedLinesDocument(TypedDict):
    """How many penalties and bonuses of an event are in other units than those of its season."""

    event: str
    primary: str
    lines: int


class SeasonAbout(TypedDict):
    """The member `season` of a season's standings."""

    slug: str
    name: str
    starts_on: Day
    ends_on: Day
    events: Sequence[str]
    variants: NotRequired[Sequence[str]]
    uncounted_lines: NotRequired[Sequence[UncountedLinesDocument]]


class StandingsDocument(TypedDict):
    """The standings of an event or of a season, as published."""

    publication: NotRequired[PublicationHead]
    club: ClubName
    event: NotRequired[EventAbout]
    season: NotRequired[SeasonAbout]
    evening: NotRequired[EveningAbout]
    as_of: ProgressDocument
    scheme: SchemeDocument
    columns: Sequence[ColumnDocument]
    rows: Sequence[StandingsDocumentRow]
    provisional_rows: Sequence[StandingsDocumentRow]


class HistoryColumn(TypedDict):
    """A round of the history: places as they are written and primary values, by code."""

    round: int
    meeting: str | None
    hands: int
    last: int
    places: Mapping[str, str]
    values: Mapping[str, str | None]


class MovementColumn(TypedDict):
    """A round as the small charts of places have it; `meeting` is not in rows before 0.7.0."""

    round: int
    meeting: NotRequired[str | None]
    last: int
    places: Mapping[str, str]


class HistoryDocument(TypedDict):
    """Places and primary values of everybody after each round."""

    rounds: Sequence[HistoryColumn]


class EncounterDocument(TypedDict):
    """How an entrant fared against another one; `share` is an exact fraction."""

    player_id: str
    games: int
    ahead: int
    level: int
    behind: int
    share: str
    difference: ScoreJson | None


class HeadToHeadDocument(TypedDict):
    """Everybody whom an entrant met, most games first."""

    against: Sequence[EncounterDocument]


class NightDocument(TypedDict):
    """Points of an evening or of a game, and the tables where they were made."""

    points: ScoreJson
    hands: int
    meeting: str | None
    round: int
    tables: Sequence[str]


class SeriesDocument(TypedDict):
    """The longest series of games won, and its tables."""

    wins: int
    tables: Sequence[str]


class PointsBests(TypedDict):
    """The best and the worst of an entrant's points; None where no game has points."""

    best_night: NightDocument | None
    worst_night: NightDocument | None
    lowest_game: NightDocument | None
    highest_game: NightDocument | None


class BestsDocument(PointsBests):
    """The best and the worst of everything that an entrant made."""

    games: int
    hands: int
    wins: int
    moons: int | None
    moon_tables: Sequence[str]
    longest_series: SeriesDocument


class HolderPlace(TypedDict, total=False):
    """Where a record was made, as far as it was made in one place."""

    hands: int
    meeting: str | None
    round: int
    tables: Sequence[str]


class HolderDocument(HolderPlace):
    """Who holds a record, and where it was made."""

    player_id: str


class RecordDocument(TypedDict):
    """A record of an event with everybody who holds it."""

    key: str
    value: int | str
    holders: Sequence[HolderDocument]


def event_id(event: Event, *of: object) -> str:
    """Return the id of an event, or of a part of it that `of` names, as a URN."""
    return f"urn:uuid:{_uuid(event, *of)}"


def calendar_uid(event: Event, *of: object) -> str:
    return str(_uuid(event, *of))


def _uuid(event: Event, *of: object) -> UUID:
    parts = (event.seed, int(event.created_at.timestamp()), *of)
    return uuid5(_OURS, "/".join(map(str, parts)))


def compact(value: object) -> bytes:
    """Return `value` as a published document writes JSON: compact, UTF-8.

    >>> compact({"place": "2=", "name": "Zoë"}).decode()
    '{"place":"2=","name":"Zoë"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def with_head(
    body: bytes, *, number: int, version: int, now: datetime, redacted: bool = False
) -> bytes:
    """Return the standings as served: `body` with the member `publication` before all others."""
    return headed(
        body,
        {
            "number": number,
            "version": version,
            "published_at": now.astimezone(UTC).strftime(_MOMENT),
        },
        redacted=redacted,
    )


def headed(body: bytes, names: Mapping[str, Any], *, redacted: bool) -> bytes:
    """Return `body` behind a head with what `names` the publication and the body's own digest."""
    head = {
        "number": names["number"],
        "version": names["version"],
        "published_at": names["published_at"],
        "digest": digest_of(body),
        **({"redacted": True} if redacted else {}),
    }
    return _HEAD + compact(head) + b"," + body[1:]


def counts_evenings_for_a_place(scheme: SchemeDocument) -> bool:
    """Return whether evenings are needed for a place, in place of games."""
    evenings = scheme.get("evenings")
    return evenings is not None and evenings["min_unit"] == "meeting"


def played_for_a_place(row: StandingsDocumentRow, scheme: SchemeDocument) -> int:
    """Return how many games, or evenings, of a row are among those needed for a place."""
    if counts_evenings_for_a_place(scheme):
        return row.get("evenings", 0)
    return row["tables"]
