"""What an event's entrants bring to its table: totals, adjustments, byes."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from scoring.standings.counting import (
    CarryRule,
    Played,
    carry_lines,
    dropped,
    kept,
    weight,
    weighted,
)
from scoring.standings.rows import GameResult, Key, Row, Sums
from tournaments.domain.event_settings import Settings
from tournaments.domain.people.public_names import public_entrant_name, redact_text
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, EntrantState, Event
from tournaments.models.meetings import SitOut, SitOutReason
from tournaments.models.numbers import UNIT, exact
from tournaments.models.standings import PLACES, Aggregate, LedgerKind, LedgerLine
from tournaments.selectors.clubs.names import find_hidden_names, hides_names
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.games import first_rounds_without_moons
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.publishing.tie_break_evidence import carry_rules, every_game


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
    carry: tuple[CarryRule, ...] = ()
    """The stages in which not everything counts, in order."""
    bye_rounds: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The rounds of the byes by code; read only where there is a rule to carry over."""

    def row(self, sums: Sums, counted: Sums | None = None, carried: Sums | None = None) -> Row:
        """Return the entrant's row of these sums (over all games, over those that count, and with
        the weights of what is carried over)."""
        lines = self.ledger.get(sums.code, ())
        named = self.names.get(sums.code)
        return Row(
            sums=sums,
            counted=counted,
            carried=carried,
            ledger=sum((line.worsens_by for line in lines), Fraction(0)),
            withdrawn=named is not None and named.withdrawn,
        )


def entrant_inputs(event: Event) -> EntrantInputs:
    """Return the standings values of entrants that are not totals; six queries."""
    sat_out = SitOut.objects.filter(event=event, reason=SitOutReason.BYE)
    bye_rounds: dict[str, list[int]] = defaultdict(list)
    for code, number in sat_out.values_list("entrant__code", "round__number"):
        bye_rounds[code].append(number)
    return EntrantInputs(
        names=names_of(event),
        ledger=ledger_of(event),
        byes={code: len(rounds) for code, rounds in bye_rounds.items()},
        unknown_moons=frozenset(first_rounds_without_moons(event)),
        carry=carry_rules(event),
        bye_rounds=dict(bye_rounds),
    )


def names_of(event: Event) -> dict[str, NamedEntrant]:
    """Return the event's entrants by code, by the names that the public reads."""
    people: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    members = EntrantMember.objects.filter(event=event)
    for code, *player in members.values_list(
        "entrant__code", "player__player_id", "player__name", "player__public_name"
    ).order_by("player__player_id"):
        people[code].append((player[0], player[1], player[2]))
    found = {}
    entrants = Entrant.objects.filter(event=event).order_by("code")
    for code, own, kind, state in entrants.values_list("code", "name", "kind", "state"):
        name = public_entrant_name(own, ((full, shown) for _, full, shown in people[code]))
        together = [(player, shown) for player, _, shown in people[code]]
        alone = kind == EntrantKind.PLAYER
        withdrawn = state == EntrantState.WITHDRAWN
        found[code] = NamedEntrant(code, name, withdrawn, () if alone else tuple(together))
    return found


def ledger_of(event: Event) -> dict[str, list[AdjustmentLine]]:
    """Return the penalties and bonuses that are not withdrawn, by the code of their entrant."""
    found: dict[str, list[AdjustmentLine]] = defaultdict(list)
    lines = LedgerLine.objects.filter(event=event, withdrawn_at=None).order_by("number")
    rows = list(lines.values_list("entrant__code", "number", "kind", "amount", "reason"))
    hidden = find_hidden_names(event.club_id) if rows and hides_names(event.club) else {}
    for code, number, kind, amount, reason in rows:
        line = AdjustmentLine(number, kind, Fraction(amount, UNIT), redact_text(reason, hidden))
        found[code].append(line)
    return dict(found)


_SUMS: Final = (
    "games", "hands", "points", "shared_wins", "win_share", "beaten_halves", "moons",
    "moons_against", "difference", "uncounted", "place_points",
)  # fmt: skip
_PLACES: Final = tuple(f"place_{place}" for place in range(1, PLACES + 1))


def rows_of(event: Event, settings: Settings, standing_beside: EntrantInputs) -> list[Row]:
    """Return a row for each entrant that has played, from the event's sums; one query.

    Where a stage does not count everything before it, the games are read: sums do not tell of
    which stage they are.
    """
    if standing_beside.carry:
        games, is_low = every_game(event), low_wins(rules_of(default_snapshot(event)))
        return rows_from(games, settings, standing_beside, low_wins=is_low)
    rows = Aggregate.objects.filter(event=event, games__gt=0).order_by("entrant__code")
    found = []
    for code, kept_sums, *numbers in rows.values_list("entrant__code", "kept", *_SUMS, *_PLACES):
        byes = standing_beside.byes.get(code, 0)
        stored = dict(zip(_SUMS, numbers, strict=False))
        places = tuple(numbers[len(_SUMS) :])
        index = _fraction(kept_sums["index"]) if kept_sums else None
        if kept_sums and settings.drops:
            sums = sums_from(code, stored, places, byes)
            counted = sums_from(code, stored | kept_sums, (), byes, index)
            found.append(standing_beside.row(sums, counted))
        else:
            found.append(standing_beside.row(sums_from(code, stored, places, byes, index)))
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
    scheme = _Counting(settings, standing_beside, low_wins)
    return [scheme.row(code, played[code]) for code in sorted(played)]


@dataclass(frozen=True, slots=True)
class _Counting:
    """How games are counted: which are dropped, and what earlier stages count."""

    settings: Settings
    beside: EntrantInputs
    low_wins: bool

    def row(self, code: str, games: Sequence[Played]) -> Row:
        """Return an entrant's row of its games."""
        byes = self.beside.byes.get(code, 0)
        sums = kept(code, games, byes=byes)
        lines = carry_lines(code, {key[0] for key, _, _ in games}, self.beside.carry)
        if lines:
            return self.beside.row(sums, *self._carried(code, games, lines))
        if not self.settings.drops:
            return self.beside.row(sums)
        return self.beside.row(sums, kept(code, games, self._dropped(games), byes=byes))

    def _carried(
        self, code: str, games: Sequence[Played], lines: Sequence[tuple[int, Fraction]]
    ) -> tuple[Sums, Sums]:
        """Return the sums of the games that count at all, and those with their weights.

        Games that count nothing are none of those of which the worst are dropped.
        """
        rounds = self.beside.bye_rounds.get(code, ())
        live = [game for game in games if weight(game[0][0], lines)]
        without = self._dropped(live) if self.settings.drops else frozenset()
        at = sorted({weight(game[0][0], lines) for game in live} | {Fraction(1)})
        parts = [
            (
                own,
                kept(
                    code,
                    [game for game in live if weight(game[0][0], lines) == own],
                    without,
                    byes=sum(1 for number in rounds if weight(number, lines) == own),
                ),
            )
            for own in at
        ]
        byes = sum(part.byes for _, part in parts)
        return kept(code, live, without, byes=byes), weighted(parts)

    def _dropped(self, games: Sequence[Played]) -> frozenset[Key]:
        return dropped(
            games,
            primary=self.settings.primary,
            low_wins=self.low_wins,
            drop_worst=self.settings.drop_worst,
            best_of=self.settings.best_of,
        )


def sums_from(
    code: str,
    stored: Mapping[str, int],
    places: tuple[int, ...],
    byes: int = 0,
    index: Fraction | None = None,
) -> Sums:
    """Return the sums of an entrant from what is stored of them, by column."""
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
