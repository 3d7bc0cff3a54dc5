"""What follows from a change of a hand beyond the standings, as it is told: the ladder with its
ratings and challenges, play-offs, and cuts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.services.previewing.documents import (
    ChallengeResult,
    ConsequencesDocument,
    CutChangeDocument,
    LadderChangesDocument,
    PlayoffChangeDocument,
    PlayoffSnapshot,
)

Named = tuple[str, str]
"""An entrant: code and name."""


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """A member whose place on the list is another one then; None where not on the list."""

    player_id: str
    name: str
    place: int | None
    place_then: int | None

    @property
    def up(self) -> int:
        """How many places it goes up; below 0 down, 0 where it comes or goes."""
        if self.place is None or self.place_then is None:
            return 0
        return self.place - self.place_then

    @property
    def down(self) -> int:
        """How many places it goes down."""
        return -self.up


@dataclass(frozen=True, slots=True)
class RatedChange:
    """A member whose rating is another one then, to three decimals; None where there is none."""

    player_id: str
    name: str
    rating: float | None
    rating_then: float | None
    shown: str
    shown_then: str

    @property
    def size(self) -> float:
        """How far apart the two are."""
        return abs((self.rating_then or 0.0) - (self.rating or 0.0))


@dataclass(frozen=True, slots=True)
class ChallengeChange:
    """A challenge that was played at the table: who won, now and then.

    A winner is None where nothing counts; of two who are tied it is the challenged.
    """

    number: int
    challenger: Named
    challenged: Named
    state: str
    state_then: str
    winner: Named | None
    winner_then: Named | None

    @property
    def is_void_then(self) -> bool:
        """Whether its result counts no more."""
        return self.state_then == "void" != self.state


@dataclass(frozen=True, slots=True)
class LadderChanges:
    """What becomes of a ladder: who changes places, the largest changes of ratings, challenges."""

    places: tuple[PlaceChange, ...]
    n_places: int
    ratings: tuple[RatedChange, ...]
    n_ratings: int
    challenges: tuple[ChallengeChange, ...]
    publication: int | None
    publication_then: int | None

    @property
    def n_more_places(self) -> int:
        """How many members change places beyond those that are listed."""
        return self.n_places - len(self.places)

    @property
    def n_more_ratings(self) -> int:
        """How many ratings change beyond those that are listed."""
        return self.n_ratings - len(self.ratings)

    def as_json(self) -> LadderChangesDocument:
        """Return what REST gives."""
        return {
            "places": {
                "changed": self.n_places,
                "results": [
                    {
                        "player_id": place.player_id,
                        "player": place.name,
                        "before": place.place,
                        "after": place.place_then,
                    }
                    for place in self.places
                ],
            },
            "ratings": {
                "changed": self.n_ratings,
                "results": [
                    {
                        "player_id": rating.player_id,
                        "player": rating.name,
                        "before": rating.rating,
                        "after": rating.rating_then,
                    }
                    for rating in self.ratings
                ],
            },
            "challenges": [
                {
                    "number": challenge.number,
                    "before": _result(challenge.state, challenge.winner),
                    "after": _result(challenge.state_then, challenge.winner_then),
                }
                for challenge in self.challenges
            ],
            "publication": {"before": self.publication, "after": self.publication_then},
        }


@dataclass(frozen=True, slots=True)
class Tie:
    """A play-off at one moment. `asked` is the code of what somebody has to answer, empty else;
    `tiers` are who it placed, best first, once it is decided."""

    number: int
    members: tuple[Named, ...]
    kinds: tuple[str, ...]
    state: str
    asked: str = ""
    tiers: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its members."""
        return tuple(name for _code, name in self.members)


@dataclass(frozen=True, slots=True)
class PlayoffChange:
    """A play-off now and then; None where it is not there."""

    now: Tie | None
    then: Tie | None

    @property
    def tie(self) -> Tie:
        """The one of the two that is there, that of now first."""
        found = self.now or self.then
        assert found is not None  # noqa: S101 - one of the two is always there
        return found

    @property
    def what(self) -> str:
        """What becomes of it: `detected`, `void`, `asked`, `answered`, `decided`, `undecided`,
        `kept`.

        `asked`: it is over, and somebody has to say whether its result is kept or it is played
        again. `answered`: nobody has to any more.
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
        """Return what REST gives."""
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
    """A cut at one moment: who went on, and the code of what somebody has to answer."""

    stage: int
    name: str
    through: tuple[Named, ...]
    asked: str = ""
    found: Mapping[str, object] | None = None
    question: Mapping[str, object] | None = None
    """What the question is about, with codes and with names; differs where another is asked."""


@dataclass(frozen=True, slots=True)
class CutChange:
    """A cut now and then."""

    now: CutSnapshot
    then: CutSnapshot

    @property
    def names_in(self) -> tuple[str, ...]:
        """The names of who goes on then, and did not."""
        return tuple(name for _code, name in self.comes_in)

    @property
    def names_out(self) -> tuple[str, ...]:
        """The names of who went on, and does not then."""
        return tuple(name for _code, name in self.goes_out)

    @property
    def comes_in(self) -> tuple[Named, ...]:
        """Who goes on then, and did not."""
        return tuple(one for one in self.then.through if one not in self.now.through)

    @property
    def goes_out(self) -> tuple[Named, ...]:
        """Who went on, and does not then."""
        return tuple(one for one in self.now.through if one not in self.then.through)

    @property
    def what(self) -> str:
        """What becomes of it: `redone`, `asked`, `answered` (no longer asked) or `kept`."""
        if self.comes_in or self.goes_out:
            return "redone"
        if self.then.asked and self.then.found != self.now.found:
            return "asked"
        return "answered" if self.now.asked and not self.then.asked else "kept"

    def as_json(self) -> CutChangeDocument:
        """Return what REST gives."""
        return {
            "stage": self.now.stage,
            "what": self.what,
            "code": self.then.asked or None,
            "in": [code for code, _ in self.comes_in],
            "out": [code for code, _ in self.goes_out],
        }


@dataclass(frozen=True, slots=True)
class Consequences:
    """All that follows beyond the table of standings; `ladder` is None where there is none."""

    ladder: LadderChanges | None = None
    playoffs: Sequence[PlayoffChange] = ()
    cuts: Sequence[CutChange] = ()

    @property
    def is_asked(self) -> bool:
        """Whether somebody has to say then what becomes of a play-off or a cut."""
        asked = [playoff.then.asked for playoff in self.playoffs if playoff.then is not None]
        return any((*asked, *(cut.then.asked for cut in self.cuts)))

    def as_json(self) -> ConsequencesDocument:
        """Return what REST gives."""
        return {
            "ladder": self.ladder.as_json() if self.ladder else None,
            "playoffs": [playoff.as_json() for playoff in self.playoffs],
            "cuts": [cut.as_json() for cut in self.cuts],
        }


def _result(state: str, winner: Named | None) -> ChallengeResult:
    return {"state": state, "winner": winner[0] if winner else None}


def _tie(tie: Tie | None) -> PlayoffSnapshot | None:
    if tie is None:
        return None
    return {"state": tie.state, "result": [list(tier) for tier in tie.tiers]}
