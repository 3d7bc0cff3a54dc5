"""The members of published documents of standings: the table, its history, encounters, records.

`publishing` writes them, `selectors` read them back; `openapi.yaml` describes them for programs.
Members that older publications do not have are `NotRequired`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired, TypeAlias, TypedDict

from scoring.numbers import ScoreJson
from scoring.standings.explain import ReasonFacts
from tournaments.domain.event_settings import BestOf as BestOf

Day: TypeAlias = Annotated[str, "date"]
"""A local day, as in 2025-10-30."""

Moment: TypeAlias = Annotated[str, "date-time"]
"""A moment in UTC, to the second."""


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
    """The member `as_of` of standings: how far the event is."""

    meeting: Day | None
    round: int | None
    hands: int


class SchemeDocument(TypedDict):
    """The member `scheme`: the criteria of the table."""

    primary: str
    direction: NotRequired[str]
    tie_breaks: Sequence[str]
    drop_worst: int
    min_games: int
    seed: NotRequired[str | None]
    best_of: NotRequired[BestOf | None]
    bye_award: NotRequired[str]
    boundaries: NotRequired[Mapping[str, int]]


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
    """A penalty or bonus of a row, in units of its primary value."""

    number: int
    kind: str
    amount: int | str
    reason: str


class StandingsDocumentRow(TypedDict):
    """The members that every row has. Each further column is a member under its key."""

    rank: int | None
    tied: bool
    qualified: bool
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
    dropped: NotRequired[int]
    byes: NotRequired[int]
    ledger: NotRequired[Sequence[AdjustmentDocument]]
    stage: NotRequired[str]
    values: Mapping[str, str]
    decided_by: str | None
    reason: NotRequired[str]
    ahead: NotRequired[str]
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
    """A round as the small charts of places have it."""

    round: int
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


class RecordsDocument(TypedDict):
    """The records of an event."""

    records: Sequence[RecordDocument]
