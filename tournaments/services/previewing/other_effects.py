"""The effects of a change beyond the standings: ladder, ratings, challenges, play-offs, cuts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.services.previewing.documents import (
    ConsequencesDocument,
    CutChangeDocument,
    LadderChangesDocument,
    PlayoffChangeDocument,
    PlayoffSnapshot,
    PreviewedChallenge,
    PreviewedPlace,
    PreviewedRating,
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
            "places": {
                "changed": self.n_places,
                "results": [place for place, _, _ in self.places],
            },
            "ratings": {
                "changed": self.n_ratings,
                "results": [rating for rating, _, _ in self.ratings],
            },
            "challenges": [challenge for challenge, _ in self.challenges],
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
    facts: Mapping[str, object] | None = None
    question: Mapping[str, object] | None = None
    """What the question is about, with codes and with names; differs where another is asked."""


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
        """Who qualifies then, and did not."""
        return tuple(entrant for entrant in self.then.through if entrant not in self.now.through)

    @property
    def goes_out(self) -> tuple[Named, ...]:
        """Who qualified, and does not then."""
        return tuple(entrant for entrant in self.now.through if entrant not in self.then.through)

    @property
    def what(self) -> str:
        """What becomes of it: `redone`, `asked`, `answered` (no longer asked) or `kept`."""
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
    """All that follows beyond the standings; `ladder` is None where there is none."""

    ladder: LadderChanges | None = None
    playoffs: Sequence[PlayoffChange] = ()
    cuts: Sequence[CutChange] = ()

    @property
    def is_asked(self) -> bool:
        """Whether somebody has to decide then about a play-off or a cut."""
        questions = [playoff.then.asked for playoff in self.playoffs if playoff.then is not None]
        return any((*questions, *(cut.then.asked for cut in self.cuts)))

    def as_json(self) -> ConsequencesDocument:
        return {
            "ladder": self.ladder.as_json() if self.ladder else None,
            "playoffs": [playoff.as_json() for playoff in self.playoffs],
            "cuts": [cut.as_json() for cut in self.cuts],
        }


def _tie(tie: Tie | None) -> PlayoffSnapshot | None:
    if tie is None:
        return None
    return {"state": tie.state, "result": [list(tier) for tier in tie.tiers]}
