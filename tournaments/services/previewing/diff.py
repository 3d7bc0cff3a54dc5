"""Changes of a hand and of the standings, as pages and REST show them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.numbers import ScoreJson
from tournaments.domain.code_words import in_words
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.selectors.standings.standings_view import StandingsRow
from tournaments.services.previewing.documents import (
    ConsequencesDocument,
    CutChangeDocument,
    HandPreviewDocument,
    LadderChangesDocument,
    PlayoffChangeDocument,
    PlayoffSnapshot,
    PreviewedChallenge,
    PreviewedGame,
    PreviewedHand,
    PreviewedPlace,
    PreviewedRating,
    PreviewedRow,
    StandingsEffectsDocument,
)

Named = tuple[str, str]
"""An entrant: code and name."""
PlaceChange = tuple[PreviewedPlace, int, int]
"""A place on the list, how many places it goes up and how many down; 0 where it comes or goes."""
RatingChange = tuple[PreviewedRating, str, str]
"""A rating before and after, to three decimals, and the two as texts."""


@dataclass(frozen=True, slots=True)
class LadderChanges:
    """The members that change places, the largest changes of ratings, and the challenges."""

    places: tuple[PlaceChange, ...]
    n_places: int
    ratings: tuple[RatingChange, ...]
    n_ratings: int
    challenges: tuple[tuple[PreviewedChallenge, dict[str, object]], ...]
    """Challenges that were played at the table, with the names of their members."""
    publication: int | None
    publication_then: int | None

    @property
    def n_more_places(self) -> int:
        return self.n_places - len(self.places)

    @property
    def n_more_ratings(self) -> int:
        return self.n_ratings - len(self.ratings)

    def as_json(self) -> LadderChangesDocument:
        return {
            "places": {"changed": self.n_places, "results": [place for place, _, _ in self.places]},
            "ratings": {
                "changed": self.n_ratings,
                "results": [rating for rating, _, _ in self.ratings],
            },
            "challenges": [challenge for challenge, _ in self.challenges],
            "publication": {"before": self.publication, "after": self.publication_then},
        }


@dataclass(frozen=True, slots=True)
class Tie:
    """A play-off at one moment. `asked` is the code of an open question, or empty; `tiers` are its
    members by place, best first, once it is decided."""

    number: int
    members: tuple[Named, ...]
    kinds: tuple[str, ...]
    state: str
    asked: str = ""
    tiers: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _code, name in self.members)


@dataclass(frozen=True, slots=True)
class PlayoffChange:
    """A play-off now and then; None where it is not there."""

    now: Tie | None
    then: Tie | None

    @property
    def tie(self) -> Tie:
        tie = self.now or self.then
        assert tie is not None  # noqa: S101 - one of the two always exists
        return tie

    @property
    def what(self) -> str:
        """Its outcome.

        `asked`: it is over, and a director decides whether to keep its result or play it again.
        `answered`: that decision is no longer needed.
        """
        now, then = self.now, self.then
        if now is None:
            return "detected"
        if then is None or (then.state == "void" != now.state):
            return "void"
        if then.asked != now.asked:
            return "asked" if then.asked else "answered"
        if then.tiers != now.tiers:
            return "decided" if then.tiers else "undecided"
        return "kept"

    def as_json(self) -> PlayoffChangeDocument:
        return {
            "number": self.tie.number,
            "members": [code for code, _ in self.tie.members],
            "boundaries": list(self.tie.kinds),
            "what": self.what,
            "code": self.then.asked or None if self.then else None,
            "before": _tie(self.now),
            "after": _tie(self.then),
        }


@dataclass(frozen=True, slots=True)
class CutSnapshot:
    """A cut at one moment: its qualifiers, and the code of an open question."""

    stage: int
    name: str
    through: tuple[Named, ...]
    asked: str = ""
    facts: Mapping[str, object] | None = None
    question: Mapping[str, object] | None = None
    """Subject of the question, with codes and with names; it differs for another question."""


@dataclass(frozen=True, slots=True)
class CutChange:
    now: CutSnapshot
    then: CutSnapshot

    @property
    def names_in(self) -> tuple[str, ...]:
        return tuple(name for _code, name in self.comes_in)

    @property
    def names_out(self) -> tuple[str, ...]:
        return tuple(name for _code, name in self.goes_out)

    @property
    def comes_in(self) -> tuple[Named, ...]:
        return tuple(entrant for entrant in self.then.through if entrant not in self.now.through)

    @property
    def goes_out(self) -> tuple[Named, ...]:
        return tuple(entrant for entrant in self.now.through if entrant not in self.then.through)

    @property
    def what(self) -> str:
        if self.comes_in or self.goes_out:
            return "redone"
        if self.then.asked and self.then.facts != self.now.facts:
            return "asked"
        return "answered" if self.now.asked and not self.then.asked else "kept"

    def as_json(self) -> CutChangeDocument:
        return {
            "stage": self.now.stage,
            "what": self.what,
            "code": self.then.asked or None,
            "in": [code for code, _ in self.comes_in],
            "out": [code for code, _ in self.goes_out],
        }


@dataclass(frozen=True, slots=True)
class Consequences:
    """All consequences beyond the standings; `ladder` is None in an event without one."""

    ladder: LadderChanges | None = None
    playoffs: Sequence[PlayoffChange] = ()
    cuts: Sequence[CutChange] = ()
    drafts: Sequence[Problem] = ()
    """The drafts that are out of date then and not now, or by something else now."""

    @property
    def draft_texts(self) -> list[str]:
        text = gettext("Round {round} is a draft that was drawn from what changes: {drawn_from}.")
        return [text.format_map(in_words(problem.facts)) for problem in self.drafts]

    @property
    def is_asked(self) -> bool:
        """Whether a play-off or a cut needs a decision then."""
        questions = [playoff.then.asked for playoff in self.playoffs if playoff.then is not None]
        return any((*questions, *(cut.then.asked for cut in self.cuts)))

    def as_json(self) -> ConsequencesDocument:
        return {
            "ladder": self.ladder.as_json() if self.ladder else None,
            "playoffs": [playoff.as_json() for playoff in self.playoffs],
            "cuts": [cut.as_json() for cut in self.cuts],
            "drafts": [
                {
                    "round": int(problem.facts["round"]),
                    "drawn_from": str(problem.facts["drawn_from"]).split(", "),
                    "names": str(problem.facts["names"]),
                }
                for problem in self.drafts
            ],
        }


def _tie(tie: Tie | None) -> PlayoffSnapshot | None:
    if tie is None:
        return None
    return {"state": tie.state, "result": [list(tier) for tier in tie.tiers]}


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
        was, will = (rank_in(row.facts) if row else None for row in (self.row, self.row_then))
        return was - will if was is not None and will is not None else 0

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
        cells = (self.row.cells if self.row else (), self.row_then.cells if self.row_then else ())
        return [cell.number for cell in cells[0]] != [cell.number for cell in cells[1]]

    @property
    def is_visible(self) -> bool:
        """Whether a reader of the table sees a difference, in the row or in its reasons."""
        row, then = self.row, self.row_then
        if row is None or then is None:
            return True
        now, later = ((r.place, r.name, r.why, r.is_withdrawn) for r in (row, then))
        return now != later or bool(self.value != self.value_then or self.others)

    @property
    def others(self) -> tuple[tuple[object, ScoreJson | None, ScoreJson | None], ...]:
        """Further figures that differ: the head of their column, now and then."""
        now, then = (
            {cell.column.key: cell for cell in (row.cells[1:] if row else ())}
            for row in (self.row, self.row_then)
        )
        return tuple(
            (cell.column.head, now[key].number, cell.number)
            for key, cell in then.items()
            if key in now and now[key].number != cell.number
        )

    @property
    def order(self) -> tuple[bool, int]:
        """The sort key by new place; rows without one come last."""
        rank = rank_in(self.row_then.facts) if self.row_then else None
        return rank is None, rank or 0

    def as_json(self) -> PreviewedRow:
        return {
            "player_id": self.player_id,
            "changed": list(self.changed),
            "before": dict(self.row.facts) if self.row else None,
            "after": dict(self.row_then.facts) if self.row_then else None,
        }

    @property
    def is_decided_otherwise(self) -> bool:
        """Whether another rule separates it from the row above."""
        return bool({"decided_by", "reason"} & set(self.changed))


@dataclass(frozen=True, slots=True)
class Crossing:
    """A cut-off, with the entrants that rise above it and that fall below it."""

    boundary: str
    places: int
    comes_in: tuple[str, ...]
    goes_out: tuple[str, ...]

    @property
    def is_crossed(self) -> bool:
        return bool(self.comes_in or self.goes_out)


@dataclass(frozen=True, kw_only=True)
class StandingsEffects:
    """The effects of a change of hands or of players on the standings and beyond."""

    state: str
    rows: tuple[RowChange, ...]
    n_rows: int
    n_moved: int
    n_same: int
    head: str
    crossings: tuple[Crossing, ...]
    n_corrected: int
    beyond: Consequences
    publication: int | None
    publication_then: int | None
    version: int

    @property
    def under_review(self) -> bool:
        """Whether a director decides something before the standings are published."""
        return self.state in ("closed", "final") and self.beyond.is_asked

    @property
    def digest(self) -> str:
        """Name exactly these consequences, without publication numbers.

        Somebody else's hand may be published first.
        """
        effects: JsonDict = {
            key: value for key, value in self.as_json().items() if key != "publication"
        }
        if effects["ladder"]:
            effects["ladder"] = {**effects["ladder"], "publication": None}
        text = json.dumps(effects, sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def n_more(self) -> int:
        return self.n_rows - len(self.rows)

    @property
    def crossed(self) -> tuple[Crossing, ...]:
        return tuple(crossing for crossing in self.crossings if crossing.is_crossed)

    def as_json(self) -> StandingsEffectsDocument:
        return {
            "boundaries": [
                {
                    "boundary": crossing.boundary,
                    "places": crossing.places,
                    "in": list(crossing.comes_in),
                    "out": list(crossing.goes_out),
                }
                for crossing in self.crossings
            ],
            "rows": {
                "changed": self.n_rows,
                "places": self.n_moved,
                "same": self.n_same,
                "results": [row.as_json() for row in self.rows],
            },
            **self.beyond.as_json(),
            "publication": {
                "before": self.publication,
                "after": self.publication if self.under_review else self.publication_then,
                "under_review": self.under_review,
            },
        }


@dataclass(frozen=True, kw_only=True)
class Preview(StandingsEffects):
    table: str
    hands: tuple[JsonDict, ...]
    """The changed hands: `number`, `hand` and `hand_then` (`HandView`), and `seats`, each seat or
    side with its cell of the hand and its end of the game, now and then."""
    game: PreviewedGame

    def as_json(self) -> HandPreviewDocument:
        hands = [
            (hand["number"], _hand_json(hand["hand"]), _hand_json(hand["hand_then"]))
            for hand in self.hands
        ]
        number, first, first_then = hands[0]
        return {
            "table": self.table,
            "number": number,
            "event": {"state": self.state, "corrected": self.n_corrected},
            "hand": {"before": first, "after": first_then},
            "hands": [
                {"number": number, "before": before, "after": after}
                for number, before, after in hands
            ],
            "game": self.game,
            **StandingsEffects.as_json(self),
        }


def rank_in(facts: Mapping[str, object]) -> int | None:
    """Return the place of a published row; None where it has none."""
    rank = facts.get("rank")
    return rank if isinstance(rank, int) else None


def _hand_json(hand: HandView) -> PreviewedHand:
    return {
        "state": hand.state,
        "revision": hand.revision,
        "entry": dict(hand.entry),
        "scores": [cell.score for cell in hand.cells],
    }
