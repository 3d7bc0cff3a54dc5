"""Changes of a hand and of the standings, as pages and REST show them."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple, TypeAlias, TypedDict

from django.utils.translation import gettext

from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import ScoreJson
from tournaments.domain.code_words import in_words
from tournaments.domain.standings.criteria import question_with_names
from tournaments.models.events import Stage
from tournaments.models.playoffs import Playoff, is_unanswered
from tournaments.selectors.hands.score_sheet_views import Finish, HandView, ScoreCell, SideView
from tournaments.selectors.rounds.tables import SittingDocument
from tournaments.selectors.standings.standings_view import StandingsRow
from tournaments.services.previewing.documents import (
    BoundaryDocument,
    CorrectionDocument,
    CutChangeDocument,
    EveningChangeDocument,
    LadderChangesDocument,
    PlayersChangeDocument,
    PlayoffChangeDocument,
    PlayoffSnapshot,
    PreviewedChallenge,
    PreviewedPlace,
    PreviewedRating,
    PreviewedRow,
    PreviewedShare,
    ResultChange,
)

PlaceChange: TypeAlias = tuple[PreviewedPlace, int, int]
"""A place on the list, how many places it goes up and how many down; 0 where it comes or goes."""

RatingDifference: TypeAlias = tuple[PreviewedRating, str, str]
"""A rating before and after, to three decimals, and the two as texts."""


@dataclass(frozen=True, slots=True)
class PlayoffChange:
    """A play-off now and then, with the names of its members; None where it is not there."""

    now: Playoff | None
    then: Playoff | None
    names: tuple[str, ...]

    @property
    def playoff(self) -> Playoff:
        playoff = self.now or self.then
        assert playoff is not None  # noqa: S101 - one of the two always exists
        return playoff

    @property
    def question(self) -> str:
        """The code of the question that is open then; empty without one."""
        if self.then is None:
            return ""
        return _question(self.then)

    @property
    def what(self) -> str:
        """Its outcome.

        `asked`: it is over, and a director decides whether to keep its result or play it again.
        `answered`: that decision is no longer needed.
        """
        now = self.now
        then = self.then
        if now is None:
            return "detected"
        if then is None or (then.state == "void" and now.state != "void"):
            return "void"
        if self.question != _question(now):
            return "asked" if self.question else "answered"
        if _tiers(then) != _tiers(now):
            return "decided" if _tiers(then) else "undecided"
        return "kept"

    def as_json(self) -> PlayoffChangeDocument:
        return {
            "number": self.playoff.number,
            "members": codes_of(self.playoff),
            "boundaries": [line["kind"] for line in self.playoff.boundaries],
            "what": self.what,
            "code": self.question or None,
            "before": _state_and_result(self.now),
            "after": _state_and_result(self.then),
        }


class ScoreChange(TypedDict):
    """A seat's or a side's cell of a corrected hand, and its end of the game, now and then."""

    column: SideView
    cell: ScoreCell | None
    cell_then: ScoreCell | None
    took_differs: bool
    score: ScoreJson | None
    score_then: ScoreJson | None
    score_differs: bool
    end: Finish
    end_then: Finish
    total_differs: bool
    place_differs: bool


class PreviewedCorrection(NamedTuple):
    """A hand of the table now and then, by seat; number 0 is the totals of the whole game."""

    hand: HandView
    hand_then: HandView
    seats: Sequence[ScoreChange]


class TableChange(TypedDict):
    """The effect of a change of players at one table, as a page shows it.

    `seats` are ends of the game now and then, and whether the seat differs; `split` are sittings at
    seats that several people have then, `shared` what the table adds to each of those who shared a
    seat with a substitute, in `value_name`, and `owners` who gets its place; `gone`, `back`,
    `revised` and `entered` are numbers of hands, the last of those that the table has not had.
    """

    number: int
    seats: Sequence[tuple[Finish, Finish, bool]]
    split: Sequence[SittingDocument]
    shared: Sequence[PreviewedShare]
    owners: str
    value_name: str
    gone: Sequence[int]
    back: Sequence[int]
    revised: Sequence[int]
    entered: Sequence[int]


class ChallengeChange(TypedDict):
    """A challenge with the names of its players and of its winners; empty without a winner."""

    document: PreviewedChallenge
    challenger: str
    challenged: str
    winner: str
    winner_then: str
    is_void_then: bool


@dataclass(frozen=True, slots=True)
class CutChange:
    """A cut, or a knock-out with questions about its rounds, now and then.

    `through` has the codes of its qualifiers, `names` the names by code.
    """

    now: Stage
    then: Stage
    through: Collection[str]
    through_then: Collection[str]
    names: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.now.title

    @property
    def names_in(self) -> list[str]:
        return [self.names[code] for code in self.comes_in]

    @property
    def names_out(self) -> list[str]:
        return [self.names[code] for code in self.goes_out]

    @property
    def comes_in(self) -> list[str]:
        return sorted(set(self.through_then) - set(self.through))

    @property
    def goes_out(self) -> list[str]:
        return sorted(set(self.through) - set(self.through_then))

    @property
    def question(self) -> JsonObject | None:
        """The facts of the question that is asked then, with names."""
        return question_with_names((self.then.asked or {}).get("facts"), self.names)

    @property
    def what(self) -> str:
        before = self.now.asked or {}
        after = self.then.asked or {}
        if self.comes_in or self.goes_out:
            return "redone"
        if after and after.get("facts") != before.get("facts"):
            return "asked"
        return "answered" if before and not after else "kept"

    def as_json(self) -> CutChangeDocument:
        return {
            "stage": self.now.number,
            "what": self.what,
            "code": "cut_would_change" if self.then.asked else None,
            "in": self.comes_in,
            "out": self.goes_out,
        }


class EveningPlaceChange(NamedTuple):
    """An entrant's place in the table of an evening, now and then; empty without one."""

    code: str
    name: str
    rank: int | None
    rank_then: int | None
    place: str
    place_then: str


@dataclass(frozen=True, slots=True)
class EveningChange:
    """The table of an evening now and then.

    `first` has the names of those on the first place by code; where the table `is_of_event`, as of
    the evening, those of its winners, and `comes_in` and `goes_out` who would go on and who would
    not. `places` are the first of `n_places`.
    `result` is the newest result of an evening that gets another one, and `is_announced` says
    whether anybody is told of that.
    """

    day: date
    is_over: bool
    first: Mapping[str, str]
    first_then: Mapping[str, str]
    is_of_event: bool
    comes_in: Mapping[str, str]
    goes_out: Mapping[str, str]
    places: Sequence[EveningPlaceChange]
    n_places: int
    result: int | None
    is_announced: bool

    @property
    def next_result(self) -> int | None:
        if self.result is None:
            return None
        return self.result + 1

    @property
    def has_other_first(self) -> bool:
        return set(self.first) != set(self.first_then)

    @property
    def is_told(self) -> bool:
        """Whether a page says more of the evening than that nothing of it changes."""
        if self.has_other_first or self.comes_in or self.goes_out or self.result:
            return True
        return self.n_places > 0

    @property
    def n_more(self) -> int:
        return self.n_places - len(self.places)

    def as_json(self) -> EveningChangeDocument:
        places: list[PreviewedPlace] = [
            {
                "player_id": change.code,
                "player": change.name,
                "before": change.rank,
                "after": change.rank_then,
            }
            for change in self.places
        ]
        result: ResultChange | None = None
        if self.result is not None:
            result = {
                "before": self.result,
                "after": self.result + 1,
                "is_announced": self.is_announced,
            }
        document: EveningChangeDocument = {
            "date": self.day.isoformat(),
            "first": {"before": sorted(self.first), "after": sorted(self.first_then)},
            "places": {"changed": self.n_places, "results": places},
            "result": result,
        }
        if self.is_of_event:
            document["through"] = {"in": list(self.comes_in), "out": list(self.goes_out)}
        return document


class LadderChanges(TypedDict):
    """The changes of a ladder: for REST, and as a page shows the first of them."""

    document: LadderChangesDocument
    places: Sequence[PlaceChange]
    n_more_places: int
    ratings: Sequence[RatingDifference]
    n_more_ratings: int
    challenges: Sequence[ChallengeChange]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of the standings that is not the same then; one of the two may be missing."""

    player_id: str
    name: str
    row: StandingsRow | None
    row_then: StandingsRow | None
    changed: tuple[str, ...]

    @property
    def place(self) -> str:
        return self.row.place if self.row else "–"

    @property
    def place_then(self) -> str:
        return self.row_then.place if self.row_then else "–"

    @property
    def up(self) -> int:
        """How many places it goes up; below 0 down, 0 where it stays or has none."""
        rank = _rank_of(self.row)
        rank_then = _rank_of(self.row_then)
        if rank is None or rank_then is None:
            return 0
        return rank - rank_then

    @property
    def down(self) -> int:
        return -self.up

    @property
    def value(self) -> ScoreJson | None:
        return self.row.cells[0].number if self.row else None

    @property
    def value_then(self) -> ScoreJson | None:
        return self.row_then.cells[0].number if self.row_then else None

    @property
    def has_own_figures(self) -> bool:
        """Whether figures of its own change, not only its place among the others."""
        return _numbers_of(self.row) != _numbers_of(self.row_then)

    @property
    def is_visible(self) -> bool:
        """Whether a reader of the table sees a difference, in the row or in its reasons."""
        row = self.row
        then = self.row_then
        if row is None or then is None:
            return True
        if row.place != then.place or row.name != then.name:
            return True
        if row.why != then.why or row.is_withdrawn != then.is_withdrawn:
            return True
        return self.value != self.value_then or bool(self.others)

    @property
    def others(self) -> tuple[tuple[object, ScoreJson | None, ScoreJson | None], ...]:
        """Further figures that differ: the head of their column, now and then."""
        if self.row is None or self.row_then is None:
            return ()
        numbers = {cell.column.key: cell.number for cell in self.row.cells[1:]}
        figures = []
        for cell in self.row_then.cells[1:]:
            key = cell.column.key
            if key in numbers and numbers[key] != cell.number:
                figures.append((cell.column.head, numbers[key], cell.number))
        return tuple(figures)

    @property
    def order(self) -> tuple[bool, int]:
        """The sort key by new place; rows without one come last."""
        rank = _rank_of(self.row_then)
        if rank is None:
            return True, 0
        return False, rank

    def as_json(self) -> PreviewedRow:
        return {
            "player_id": self.player_id,
            "changed": list(self.changed),
            "before": _published_row(self.row) if self.row else None,
            "after": _published_row(self.row_then) if self.row_then else None,
        }

    @property
    def is_decided_otherwise(self) -> bool:
        """Whether another rule separates it from the row above."""
        return bool({"decided_by", "reason"} & set(self.changed))


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a change of hands or of players does to its tables, the standings, and beyond."""

    document: CorrectionDocument | PlayersChangeDocument | None = None
    """The members for REST that are about the tables."""
    hands: Sequence[PreviewedCorrection] = ()
    """The changed hands, first the one that the change is about; none of a change of players."""
    tables: Sequence[TableChange] = ()
    """The tables of a change of players; none of a change of hands."""
    state: str
    rows: tuple[RowChange, ...]
    n_rows: int
    n_moved: int
    n_same: int
    head: str
    crossings: Sequence[BoundaryDocument]
    n_corrected: int
    ladder: LadderChanges | None
    """None in an event without one."""
    evening: EveningChange | None
    """None where the table has no evening, or the evening no table of its own."""
    playoffs: Sequence[PlayoffChange]
    cuts: Sequence[CutChange]
    drafts: Sequence[Problem]
    """The drafts that are out of date then and not now, or by something else now."""
    publication: int | None
    publication_then: int | None
    version: int

    @property
    def first_seats(self) -> Sequence[ScoreChange]:
        """The seats of the hand that the change is about, now and then; none of players."""
        if not self.hands:
            return ()
        return self.hands[0].seats

    @property
    def draft_texts(self) -> list[str]:
        text = gettext("Round {round} is a draft that was drawn from what changes: {drawn_from}.")
        return [text.format_map(in_words(problem.facts)) for problem in self.drafts]

    @property
    def under_review(self) -> bool:
        """Whether a director decides something before the standings are published."""
        if self.state not in ("closed", "final"):
            return False
        has_questions = any(playoff.question for playoff in self.playoffs)
        return has_questions or any(cut.then.asked for cut in self.cuts)

    @property
    def digest(self) -> str:
        """Name exactly these consequences, without the numbers of publications and results.

        Somebody else's hand may be published first, and a result that is pending be drawn. The
        reason of a penalty is no consequence: a preview over REST has none yet.
        """
        effects = self.as_json()
        del effects["publication"]
        effects["rows"] = {
            **effects["rows"],
            "results": [_without_reasons(row) for row in effects["rows"]["results"]],
        }
        if effects["evening"]:
            effects["evening"] = {**effects["evening"], "result": None}
        if effects["ladder"]:
            effects["ladder"] = {**effects["ladder"], "publication": None}
        text = json.dumps(effects, sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def n_more(self) -> int:
        return self.n_rows - len(self.rows)

    def as_json(self) -> JsonDict:
        drafts = []
        for problem in self.drafts:
            draft = {
                "round": int(problem.facts["round"]),
                "drawn_from": str(problem.facts["drawn_from"]).split(", "),
                "names": str(problem.facts["names"]),
            }
            drafts.append(draft)
        return {
            **(self.document or {}),
            "boundaries": self.crossings,
            "rows": {
                "changed": self.n_rows,
                "places": self.n_moved,
                "same": self.n_same,
                "results": [row.as_json() for row in self.rows],
            },
            "ladder": self.ladder["document"] if self.ladder is not None else None,
            "evening": self.evening.as_json() if self.evening is not None else None,
            "playoffs": [playoff.as_json() for playoff in self.playoffs],
            "cuts": [cut.as_json() for cut in self.cuts],
            "drafts": drafts,
            "publication": {
                "before": self.publication,
                "after": self.publication if self.under_review else self.publication_then,
                "under_review": self.under_review,
            },
        }


def codes_of(playoff: Playoff) -> list[str]:
    return sorted(member.entrant.code for member in playoff.members.all())


def _question(playoff: Playoff) -> str:
    question = playoff.asked
    if question and is_unanswered(question):
        return str(question["code"])
    return ""


def _tiers(playoff: Playoff) -> Sequence[Sequence[str]]:
    order: Sequence[Sequence[str]] = (playoff.result or {}).get("order", ())
    return order


def _state_and_result(playoff: Playoff | None) -> PlayoffSnapshot | None:
    if playoff is None:
        return None
    return {"state": playoff.state, "result": [list(tier) for tier in _tiers(playoff)]}


def rank_in(facts: Mapping[str, object]) -> int | None:
    """Return the place of a published row; None where it has none."""
    rank = facts.get("rank")
    if isinstance(rank, int):
        return rank
    return None


def _without_reasons(row: JsonDict) -> JsonDict:
    changed = dict(row)
    for side in ("before", "after"):
        if row[side] is not None:
            lines = [{**line, "reason": None} for line in row[side]["ledger"]]
            changed[side] = {**row[side], "ledger": lines}
    return changed


def _published_row(row: StandingsRow) -> JsonDict:
    """Return the facts of a row with its penalties and bonuses as published: a page has dates."""
    lines = []
    for line in row.facts["ledger"]:
        published = {**line}
        meeting = published.pop("meeting")
        if meeting is not None:
            published["meeting"] = meeting.isoformat()
        lines.append(published)
    return {**row.facts, "ledger": lines}


def _rank_of(row: StandingsRow | None) -> int | None:
    if row is None:
        return None
    return rank_in(row.facts)


def _numbers_of(row: StandingsRow | None) -> list[ScoreJson | None]:
    if row is None:
        return []
    return [cell.number for cell in row.cells]
