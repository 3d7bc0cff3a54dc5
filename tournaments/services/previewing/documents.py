"""The members of previews, as REST answers them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired, TypedDict

from scoring.entry.typed_hand import EntryDocument
from scoring.numbers import ScoreJson
from tournaments.domain.standings.standings_documents import StandingsDocumentRow


class NumberChange(TypedDict):
    """A number before and after; None where there is none."""

    before: int | None
    after: int | None


class PublicationChange(NumberChange):
    """The publication before and after, and whether somebody is asked first."""

    under_review: bool


class PreviewedRow(TypedDict):
    """A row of the standings that differs, as published before and after."""

    player_id: str
    changed: Sequence[str]
    before: Annotated[Mapping[str, object], StandingsDocumentRow] | None
    after: Annotated[Mapping[str, object], StandingsDocumentRow] | None


class PreviewedHand(TypedDict):
    """A hand at one moment."""

    state: str
    revision: int
    entry: Annotated[Mapping[str, object], EntryDocument]
    scores: Sequence[ScoreJson | None]


class HandPair(TypedDict):
    """A hand before and after."""

    before: PreviewedHand
    after: PreviewedHand


class NumberedHandPair(HandPair):
    """A hand of a table, by its number, before and after."""

    number: int


class SeatEnd(TypedDict):
    """How a seat ends its game."""

    total: ScoreJson | None
    place: int | None
    tied: bool


class PlayerEnd(SeatEnd):
    """How a seat ends its game, and who sits there."""

    player_id: str | None


class PreviewedSeat(TypedDict):
    """A seat whose total or place may differ."""

    seat: int
    player_id: str | None
    before: SeatEnd
    after: SeatEnd


class PreviewedPlayerSeat(TypedDict):
    """A seat where somebody else may sit."""

    seat: int
    before: PlayerEnd
    after: PlayerEnd


class PreviewedSitting(TypedDict):
    """A player at a seat, from one hand to another."""

    seat: int
    player_id: str
    from_hand: int
    to_hand: int | None
    substitute_for: str | None


class SittingPair(TypedDict):
    """The sittings of a table before and after."""

    before: Sequence[PreviewedSitting]
    after: Sequence[PreviewedSitting]


class PreviewedShare(TypedDict):
    """One of several people in a seat, and what the table adds to them.

    It is in the unit of the standings: 0 where the table is all the others', null before a hand
    counts.
    """

    seat: int
    player_id: str
    player: str
    before: int | str | None
    after: int | str | None


class ChangedHands(TypedDict):
    """The numbers of hands that a change of players or a move of hands touches.

    `entered` are new hands of the table.
    """

    deleted: Sequence[int]
    restored: Sequence[int]
    revised: Sequence[int]
    entered: Sequence[int]


class TableDifferenceDocument(TypedDict):
    """The effect of a change of players, or a move of hands, at one table."""

    table: str
    seats: Sequence[PreviewedPlayerSeat]
    sittings: SittingPair
    shared: NotRequired[Sequence[PreviewedShare]]
    hands: ChangedHands


class ChallengeResult(TypedDict):
    """The state of a challenge and the code of its winner."""

    state: str
    winner: str | None


class PreviewedChallenge(TypedDict):
    """A challenge before and after."""

    number: int
    before: ChallengeResult
    after: ChallengeResult


class PreviewedPlace(TypedDict):
    """A place on the list before and after."""

    player_id: str
    player: str
    before: int | None
    after: int | None


class PreviewedPlaces(TypedDict):
    """How many places change, and the first of them."""

    changed: int
    results: Sequence[PreviewedPlace]


class FirstPlacesChange(TypedDict):
    """The first places of the table of an evening, before and after."""

    before: Sequence[str]
    after: Sequence[str]


class ResultChange(TypedDict):
    """The newest result of an evening, before and after a change.

    `is_announced` says whether mails, chats and programs get word of the new one.
    """

    before: int
    after: int
    is_announced: bool


ThroughChange = TypedDict("ThroughChange", {"in": Sequence[str], "out": Sequence[str]})
"""Who would go on then and does not now, and who would not."""


class EveningChangeDocument(TypedDict):
    """The change of the table of an evening; `result` is null where none follows.

    Where the table is that of the event as of the evening, `first` are the winners of the event,
    and `through` says who goes on otherwise.
    """

    date: str
    through: NotRequired[ThroughChange]
    first: FirstPlacesChange
    places: PreviewedPlaces
    result: ResultChange | None


class PreviewedRating(TypedDict):
    """A rating before and after."""

    player_id: str
    player: str
    before: float | None
    after: float | None


class PreviewedRatings(TypedDict):
    """How many ratings change, and the largest changes."""

    changed: int
    results: Sequence[PreviewedRating]


class LadderChangesDocument(TypedDict):
    """The changes of a ladder."""

    places: PreviewedPlaces
    ratings: PreviewedRatings
    challenges: Sequence[PreviewedChallenge]
    publication: NumberChange | None


class PlayoffSnapshot(TypedDict):
    """A play-off at one moment; `result` is who it placed, best first."""

    state: str
    result: Sequence[Sequence[str]]


class PlayoffChangeDocument(TypedDict):
    """The change of a play-off."""

    number: int
    members: Sequence[str]
    boundaries: Sequence[str]
    what: str
    code: str | None
    before: PlayoffSnapshot | None
    after: PlayoffSnapshot | None


CutChangeDocument = TypedDict(
    "CutChangeDocument",
    {"stage": int, "what": str, "code": str | None, "in": Sequence[str], "out": Sequence[str]},
)
"""Effect on a cut."""


class OutdatedDraftDocument(TypedDict):
    """A draft round that is out of date, by what it was drawn from, and whom that concerns."""

    round: int
    drawn_from: Sequence[str]
    names: str


BoundaryDocument = TypedDict(
    "BoundaryDocument", {"boundary": str, "places": int, "in": Sequence[str], "out": Sequence[str]}
)
"""A cut-off, who comes above it and who falls below it."""


class PlayoffRows(TypedDict):
    """How many rows an answer changes, how many places, and the first rows."""

    changed: int
    places: int
    results: Sequence[PreviewedRow]


class StandingsRowsDocument(PlayoffRows):
    """How many rows change, how many places, the first rows, and how many rows stay the same."""

    same: int


class PreviewedEvent(TypedDict):
    """The event's state, and how many corrections there have been."""

    state: str
    corrected: int


class StatePair(TypedDict):
    """A state before and after."""

    before: str
    after: str


class PreviewedGame(TypedDict):
    """The game of the previewed hand."""

    state: StatePair
    seats: Sequence[PreviewedSeat]
    other_hands: Sequence[int]
    places_stay: bool


class CorrectionDocument(TypedDict):
    """The members of a preview of corrected hands that are about their table."""

    table: str
    number: int
    event: PreviewedEvent
    hand: HandPair
    hands: Sequence[NumberedHandPair]
    game: PreviewedGame


class PlayersChangeDocument(TypedDict):
    """The members of a preview of changed players that are about their tables."""

    event: PreviewedEvent
    tables: Sequence[TableDifferenceDocument]


class AnswerPreviewDocument(TypedDict):
    """What an answer about a play-off would do."""

    answer: str
    rows: PlayoffRows
    playoffs: Sequence[PlayoffChangeDocument]
    cuts: Sequence[CutChangeDocument]
    tables: Sequence[str]
    publication: NumberChange


class RefusedAnswerDocument(TypedDict):
    """An answer that cannot be given now, and the code of why."""

    answer: str
    refused: str
