"""The tables of the round in hand as tiles: those that need the director first, then those being
played, then those that are complete. Each says its state in a word."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.domain.figures import in_short
from tournaments.domain.replay_game import TOTALS
from tournaments.presenters.events.manage_facts import ManageFacts
from tournaments.selectors.rounds.round_board import Tile

_RANKS: Final = {
    "bad": 0,
    "disp": 1,
    "empty": 2,
    "late": 2,
    "play": 4,
    "seated": 5,
    "in": 6,
    "over": 7,
}
_MISSING: Final = 3
"""The rank of a table being played where a hand was skipped."""
_NEEDS_DIRECTOR: Final = 3


@dataclass(frozen=True, slots=True)
class ManageTile:
    """A table with the word for its state and what is to be said of it."""

    tile: Tile
    css: str
    icon: str
    word: str
    says: str
    rank: int

    @property
    def needs_director(self) -> bool:
        """Whether it is among the first."""
        return self.rank <= _NEEDS_DIRECTOR


def manage_tiles(facts: ManageFacts) -> tuple[ManageTile, ...]:
    """Return the tiles of the current round in the order in which a director needs them."""
    if facts.board is None:
        return ()
    found = [_tile(facts, tile) for tile in facts.board.tiles]
    return tuple(sorted(found, key=lambda one: (one.rank, one.tile.number)))


def tiles_summary(tiles: tuple[ManageTile, ...]) -> str:
    """Return how many tables are complete, playing and in need, as `2 complete · 3 playing`."""
    done = sum(one.tile.state in ("in", "over") for one in tiles)
    need = sum(one.needs_director for one in tiles)
    play = sum(one.tile.state == "play" and not one.needs_director for one in tiles)
    rest = len(tiles) - done - need - play
    parts = [
        text % {"n": n}
        for n, text in (
            (need, ngettext("%(n)s needs you", "%(n)s need you", need)),
            (play, _("%(n)s playing")),
            (rest, _("%(n)s without hands")),
            (done, _("%(n)s complete")),
        )
        if n
    ]
    return " · ".join(parts)


def _tile(facts: ManageFacts, tile: Tile) -> ManageTile:
    quiet = facts.quiet.get(tile.code)
    if tile.state == "bad":
        count = len(tile.problems)
        says = ngettext("%(n)s hand or sheet pending", "%(n)s hands or sheets pending", count)
        return ManageTile(tile, "bad", "warn", _("Wrong total"), says % {"n": count}, _RANKS["bad"])
    filed = [one.number for one in facts.filed if one.code == tile.code]
    if filed:
        says = ngettext(
            "Hand %(hands)s does not count", "Hands %(hands)s do not count", len(filed)
        ) % {"hands": in_short(filed)}
        says = _("The totals do not count") if TOTALS in filed else says
        return ManageTile(tile, "disp", "flag", _("Disputed"), says, _RANKS["bad"])
    if tile.state == "disp":
        hands = in_short(tile.disputed)
        says = ngettext(
            "Hand %(hands)s needs a director", "Hands %(hands)s need a director", len(tile.disputed)
        )
        says = _("Totals need a director") if TOTALS in tile.disputed else says % {"hands": hands}
        return ManageTile(tile, "disp", "flag", _("Disputed"), says, _RANKS["disp"])
    if tile.state == "empty":
        return ManageTile(tile, "", "open", _("Empty"), _("Nobody is seated"), _RANKS["empty"])
    if quiet is not None:
        minutes = int((facts.now - quiet.since).total_seconds()) // 60
        text = _("No hand for %(n)s min") if quiet.has_hands else _("No hand yet after %(n)s min")
        return ManageTile(tile, "", "clock", _("Late"), text % {"n": minutes}, _RANKS["late"])
    if tile.state == "late":
        return ManageTile(tile, "late", "clock", _("Late"), _late(tile), _RANKS["late"])
    if tile.missing and tile.state == "play":
        says = ngettext("Hand %(hands)s skipped", "Hands %(hands)s skipped", len(tile.missing)) % {
            "hands": in_short(tile.missing)
        }
        return ManageTile(tile, "play", "warn", _("Hand skipped"), says, _MISSING)
    return _as_planned(tile)


def _late(tile: Tile) -> str:
    """What a table still misses after the time of the round."""
    if not tile.n_hands:
        return _("No hands yet, the time is over")
    if tile.of:
        facts = {"n": tile.n_hands, "of": tile.of}
        return _("%(n)s of %(of)s hands, the time is over") % facts
    return _("Not complete, the time is over")


def _as_planned(tile: Tile) -> ManageTile:
    """A table that needs nobody."""
    rank = _RANKS[tile.state]
    if tile.state == "in":
        says = (
            _("Totals only")
            if tile.has_totals
            else ngettext("%(n)s hand, correct", "%(n)s hands, all correct", tile.n_hands)
            % {"n": tile.n_hands}
        )
        return ManageTile(tile, "in", "check", _("Complete"), says, rank)
    if tile.state == "over":
        return ManageTile(tile, "over", "flag", _("Abandoned"), "", rank)
    if tile.state == "seated":
        return ManageTile(
            tile, "", "seat", _("Seated"), "" if tile.pips else _("No hands yet"), rank
        )
    word = (
        _("Hand %(hand)s of %(of)s") % {"hand": tile.hand, "of": tile.of}
        if tile.of
        else _("Hand %(hand)s") % {"hand": tile.hand}
    )
    says = ngettext("%(n)s hand entered", "%(n)s hands entered", tile.n_hands)
    return ManageTile(
        tile, "play", "cards", word, "" if tile.pips else says % {"n": tile.n_hands}, rank
    )
