"""The members of a published ladder: its list, its ratings, and their form in REST.

`publishing` writes the document, `selectors` and `previewing` read it back.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, NotRequired, TypedDict

from scoring.ladders.rules import LadderRules as LadderRules
from tournaments.domain.standings.standings_documents import (
    ClubName,
    ColumnDocument,
    Day,
    PublicationHead,
)


class LadderAbout(TypedDict):
    """The member `event` of a ladder."""

    slug: str
    name: str
    kind: str
    state: str


class LadderProgress(TypedDict):
    """The member `as_of` of a ladder: its last day, and how much it is made of."""

    on: Day | None
    steps: int
    games: int


class LadderOwnRating(TypedDict):
    """A member's rating, as each place of the list has it."""

    games: int
    last_played: Day | None
    rating: float | None
    rating_shown: str | None
    provisional: bool


class LadderPlaceDocument(LadderOwnRating):
    """A place of the list; `up`, `story` and `moved_on` are those of the last move."""

    place: int
    player_id: str
    player: str
    up: int | None
    story: str | None
    moved_on: Day | None


class LadderRatingDocument(TypedDict):
    """A row of the ratings; `rank` is None with too few games."""

    rank: int | None
    player_id: str
    player: str
    rating: float | None
    spread: float | None
    rating_shown: str | None
    games: int
    provisional: bool
    change: float | None
    last_played: Day | None


class LadderDocument(TypedDict):
    """A ladder as published."""

    publication: NotRequired[PublicationHead | None]
    club: ClubName
    event: LadderAbout
    as_of: LadderProgress
    rules: Annotated[Mapping[str, Any], LadderRules]
    """The settings of the ladder's rules (`scoring.ladders.rules`), by name."""
    columns: Sequence[ColumnDocument]
    rows: Sequence[LadderPlaceDocument]
    ratings: Sequence[LadderRatingDocument]


class MoveDocument(TypedDict):
    """A change of place with its story; `table` or `challenge` is what it came from."""

    number: int
    on: date
    player_id: str
    player: str
    before: int | None
    after: int | None
    up: int
    kind: str
    story: str
    table: str | None
    challenge: int | None


class RatingChangeDocument(TypedDict):
    """What a game did to a member's rating."""

    sequence: int
    on: date | None
    table: str
    games: int
    before: float
    after: float
    change: float
    spread: float | None
    rating_shown: str


class OutlookDocument(TypedDict):
    """What each finishing place would change of a member's rating, from the first to the last."""

    player_id: str
    player: str
    rating: float
    rating_shown: str
    games: int
    changes: Sequence[float]
