"""Reads the shape of one entered hand under rules with melds. Pure, like `hand_reader`."""

from collections.abc import Mapping
from difflib import get_close_matches

from scoring.entry.hand_reader import HandReader
from scoring.entry.typed_hand import TypedHand, form_of
from scoring.errors import Problem, Suggestion, shown
from scoring.numbers import is_whole

MELD_FIELDS = frozenset({"melds", "trick_points", "taken", "last_trick", "declared_out", "points"})
"""What a hand may say under rules with melds; see `MeldReader`."""


class MeldReader(HandReader):
    """Reads a hand of rules with melds: what each seat showed, and the points of its tricks."""

    def read(self) -> TypedHand:
        """Return the hand as typed."""
        entry = self.entry
        if not isinstance(entry, Mapping):
            return super().read()
        self.unknown(entry, MELD_FIELDS)
        cards = self.taken(entry.get("taken"))
        points = self.points(entry["points"]) if entry.get("points") is not None else None
        typed = TypedHand(
            entry, "points" if points and form_of(entry) == "points" else "melds", self.ready,
            self.sides, cards, points=points, melds=self.melds(entry.get("melds")),
            trick_points=self.trick_points(entry.get("trick_points")),
            last_trick=self.seat(entry.get("last_trick"), "last_trick", "unknown_seat"),
            declared_out=self.seat(entry.get("declared_out"), "declared_out", "unknown_seat"),
            summable=self.summable,
        )  # fmt: skip
        return typed._replace(problems=tuple(self.problems))

    def melds(self, value: object) -> tuple[tuple[str, ...], ...]:
        """The melds of each seat, those that these rules know."""
        listed = self.per_seat(value, "melds") if value is not None else None
        return tuple(self.shown_melds(seat, one) for seat, one in enumerate(listed or ()))

    def shown_melds(self, seat: int, value: object) -> tuple[str, ...]:
        """The melds of one seat."""
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.unknown_meld(value, ("melds", seat))
            return ()
        known = {meld.id for meld in self.ready.keys.melds}
        for place, name in enumerate(value):
            if type(name) is not str or name not in known:
                self.unknown_meld(name, ("melds", seat, place))
        return tuple(name for name in value if type(name) is str and name in known)

    def unknown_meld(self, found: object, at: tuple[str | int, ...]) -> None:
        """Note what is no meld, with the melds that are near to it."""
        known = [meld.id for meld in self.ready.keys.melds]
        near = get_close_matches(found, known, n=2) if isinstance(found, str) else []
        hints = tuple(Suggestion("closest", at, {"name": name}) for name in near)
        self.note(Problem("unknown_meld", at, {"found": shown(found)}, hints))

    def trick_points(self, value: object) -> tuple[int, ...] | None:
        """The points of each seat's tricks, before they are rounded."""
        counts = self.per_seat(value, "trick_points") if value is not None else None
        if counts is None:
            return None
        most = self.ready.trick_total
        wrong = [n for n, one in enumerate(counts) if not is_whole(one) or not 0 <= one <= 10**6]
        for place in wrong:
            self.bad_count("trick_points", place, counts[place], most)
        return None if wrong else tuple(counts)
