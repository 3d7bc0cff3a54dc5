"""What an event's entrants bring to its table: their sums, ledger lines and byes.

Nothing here looks at a game: sums are additive and moved with each hand (docs/decisions/0010), so
that reading them costs what the table is long, however much was played.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from scoring.standings.counting import Played, dropped, kept
from scoring.standings.rows import GameResult, Key, Row, Sums
from tournaments.domain.event_settings import Settings
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, EntrantState, Event
from tournaments.models.ledger import LedgerKind, LedgerLine
from tournaments.models.meetings import SitOut, SitOutReason
from tournaments.models.numbers import UNIT, exact
from tournaments.models.standings import PLACES, Aggregate
from tournaments.selectors.events.entrants import shown_name
from tournaments.selectors.hands.totals_only import first_rounds_without_moons


@dataclass(frozen=True, slots=True)
class AdjustmentLine:
    """A penalty or a bonus that counts; `amount` is positive and in units of the primary value."""

    number: int
    kind: str
    amount: Fraction
    reason: str

    @property
    def worsens_by(self) -> Fraction:
        """What it makes worse; negative for a bonus."""
        return self.amount if self.kind == LedgerKind.PENALTY else -self.amount


Ledger = Mapping[str, Sequence[AdjustmentLine]]
"""The lines that count, by the code of their entrant, in the order in which they were given."""


@dataclass(frozen=True, slots=True)
class NamedEntrant:
    """An entrant as published: its code is its public id."""

    code: str
    name: str
    withdrawn: bool
    members: tuple[tuple[str, str], ...] = ()
    """Ids and names of a pair's or a team's players; empty for a player alone."""


@dataclass(frozen=True, slots=True)
class EntrantInputs:
    """What the table takes of an entrant beside the games: who is who, ledger lines, byes."""

    names: Mapping[str, NamedEntrant]
    ledger: Ledger
    byes: Mapping[str, int]
    unknown_moons: frozenset[str] = frozenset()
    """Codes of those of whom some table has totals only, so that nobody knows who shot there."""

    def row(self, sums: Sums, counted: Sums | None = None) -> Row:
        """Return the entrant's row of these sums (over all games, and over those that count)."""
        lines = self.ledger.get(sums.code, ())
        named = self.names.get(sums.code)
        return Row(
            sums=sums,
            counted=counted,
            ledger=sum((line.worsens_by for line in lines), Fraction(0)),
            withdrawn=named is not None and named.withdrawn,
        )


def entrant_inputs(event: Event) -> EntrantInputs:
    """Return what stands beside the sums of an event's entrants; five queries."""
    sat_out = SitOut.objects.filter(event=event, reason=SitOutReason.BYE)
    return EntrantInputs(
        names=names_of(event),
        ledger=ledger_of(event),
        byes=Counter(sat_out.values_list("entrant__code", flat=True)),
        unknown_moons=frozenset(first_rounds_without_moons(event)),
    )


def names_of(event: Event) -> dict[str, NamedEntrant]:
    """Return the event's entrants by code."""
    people: dict[str, list[tuple[str, str]]] = defaultdict(list)
    members = EntrantMember.objects.filter(event=event)
    for code, *player in members.values_list(
        "entrant__code", "player__player_id", "player__name"
    ).order_by("player__player_id"):
        people[code].append((player[0], player[1]))
    found = {}
    entrants = Entrant.objects.filter(event=event).order_by("code")
    for code, own, kind, state in entrants.values_list("code", "name", "kind", "state"):
        name = shown_name(own, (name for _, name in people[code]))
        together = () if kind == EntrantKind.PLAYER else tuple(people[code])
        found[code] = NamedEntrant(code, name, state == EntrantState.WITHDRAWN, together)
    return found


def ledger_of(event: Event) -> dict[str, list[AdjustmentLine]]:
    """Return the penalties and bonuses that are not withdrawn, by the code of their entrant."""
    found: dict[str, list[AdjustmentLine]] = defaultdict(list)
    lines = LedgerLine.objects.filter(event=event, withdrawn_at=None).order_by("number")
    for code, number, kind, amount, reason in lines.values_list(
        "entrant__code", "number", "kind", "amount", "reason"
    ):
        found[code].append(AdjustmentLine(number, kind, Fraction(amount, UNIT), reason))
    return dict(found)


_SUMS: Final = (
    "games", "hands", "points", "shared_wins", "win_share", "beaten_halves", "moons",
    "moons_against", "difference", "uncounted", "place_points",
)  # fmt: skip
_PLACES: Final = tuple(f"place_{place}" for place in range(1, PLACES + 1))


def rows_of(event: Event, settings: Settings, standing_beside: EntrantInputs) -> list[Row]:
    """Return a row for each entrant that has played, from the event's sums; one query."""
    rows = Aggregate.objects.filter(event=event, games__gt=0).order_by("entrant__code")
    found = []
    for code, kept_sums, *numbers in rows.values_list("entrant__code", "kept", *_SUMS, *_PLACES):
        byes = standing_beside.byes.get(code, 0)
        stored = dict(zip(_SUMS, numbers, strict=False))
        places = tuple(numbers[len(_SUMS) :])
        index = _fraction(kept_sums["index"]) if kept_sums else None
        if kept_sums and settings.drops:
            sums = _sums(code, stored, places, byes)
            counted = _sums(code, stored | kept_sums, (), byes, index)
            found.append(standing_beside.row(sums, counted))
        else:
            found.append(standing_beside.row(_sums(code, stored, places, byes, index)))
    return found


def rows_from(
    games: Collection[GameResult],
    settings: Settings,
    standing_beside: EntrantInputs,
    *,
    low_wins: bool,
) -> list[Row]:
    """Return a row for each entrant of these games, counted from the games themselves.

    For tables that are not the one that is kept: as of a date, or under other settings. Costs what
    there are games.
    """
    played: dict[str, list[Played]] = defaultdict(list)
    for game in games:
        for code, worth in game.chairs.items():
            played[code].append((game.key, game.meeting, worth))
    found = []
    for code in sorted(played):
        byes = standing_beside.byes.get(code, 0)
        without: frozenset[Key] = frozenset()
        if settings.drops:
            without = dropped(
                played[code],
                primary=settings.primary,
                low_wins=low_wins,
                drop_worst=settings.drop_worst,
                best_of=settings.best_of,
            )
        counted = kept(code, played[code], without, byes=byes) if settings.drops else None
        found.append(standing_beside.row(kept(code, played[code], byes=byes), counted))
    return found


def _sums(
    code: str,
    stored: Mapping[str, int],
    places: tuple[int, ...],
    byes: int,
    index: Fraction | None = None,
) -> Sums:
    return Sums(
        code=code,
        games=stored["games"],
        hands=stored["hands"],
        points=exact(stored["points"]),
        places=places,
        shared_wins=stored["shared_wins"],
        win_share=Fraction(stored["win_share"], UNIT),
        beaten=Fraction(stored["beaten_halves"], 2 * UNIT),
        moons=stored["moons"],
        moons_against=stored["moons_against"],
        difference=exact(stored["difference"]),
        uncounted=stored["uncounted"],
        place_points=Fraction(stored["place_points"], UNIT),
        byes=byes,
        index=index,
    )


def _fraction(text: str | None) -> Fraction | None:
    return Fraction(text) if text else None
