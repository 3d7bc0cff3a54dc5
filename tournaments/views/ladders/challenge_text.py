"""A challenge as a page prints it: its deadline as day and time, what is left, its buttons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from scoring.json_types import JsonObject
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event
from tournaments.models.ladders import OPEN_CHALLENGES
from tournaments.selectors.ladders.challenges import POSTPONE, ChallengeRow, by_when

ICONS: Final = {
    "issued": "clock",
    "accepted": "seat",
    "played": "cards",
    "confirmed": "check",
    "declined": "flag",
    "expired": "clock",
}

BUTTONS: Final[Mapping[tuple[str, str], str | Promise]] = {
    ("issued", "accepted"): _("Accept"),
    ("issued", "declined"): _("Decline"),
    ("issued", "withdrawn"): _("Withdraw challenge"),
    ("issued", "expired"): _("End without answer"),
    ("played", "confirmed"): _("Confirm result"),
    ("played", "accepted"): _("Withdraw result"),
    ("accepted", "cancelled"): _("Cancel challenge"),
    ("confirmed", "void"): _("Void challenge"),
}
"""Each move as the button that makes it; who gives up is named in the button."""

AGREE: Final = _("Agree to cancel")
GIVES_UP: Final = _("%(name)s forfeits")
PUTS_OFF: Final = _("Postpone game")
PUTS_OFF_FOR: Final = _("Postpone for %(name)s")


@dataclass(frozen=True, slots=True)
class ChallengeButton:
    """A button: where it leads, for whom it is pressed, and whether it needs a reason."""

    to: str
    text: str
    by: str = ""
    needs_reason: bool = False


@dataclass(frozen=True, slots=True)
class ChallengeText:
    """A challenge with its words. `gone` of `total` hours are used; `due` is empty without one, and
    `over` while it is open.

    `own` is whether the reader is one of the two. `buttons` lead to other states, `puts_off` put
    the game off, `may_enter` is whether the reader may give its result.
    """

    line: ChallengeRow
    icon: str
    is_open: bool
    due: str
    over: str
    left: str
    gone: int
    total: int
    own: bool
    buttons: tuple[ChallengeButton, ...]
    puts_off: tuple[ChallengeButton, ...]
    may_enter: bool
    forgives: bool
    unplayed: str

    @property
    def asks_reader(self) -> bool:
        """Whether the reader may do what the challenge waits for: answer, play, confirm."""
        next_moves = {"issued": "accepted", "played": "confirmed"}
        return self.may_enter or any(
            button.to == next_moves.get(self.line.state) for button in self.buttons
        )

    @property
    def cancel_asked_by(self) -> str:
        """The name of who wants to call it off, empty where nobody does."""
        return self.name_of(self.line.cancel_asked_by)

    @property
    def winner(self) -> str:
        """The name of who won at the table, empty without a result."""
        return self.name_of(self.line.winner)

    @property
    def loser(self) -> str:
        """The name of who lost, empty without a result."""
        return self._other_name(self.line.winner)

    @property
    def confirmed_winner(self) -> str:
        """The name of who had won when the result was confirmed; empty where that is not known."""
        return self.name_of(self.line.confirmed_winner)

    @property
    def confirmed_loser(self) -> str:
        """The name of who had lost then."""
        return self._other_name(self.line.confirmed_winner)

    def _other_name(self, code: str | None) -> str:
        sides = (self.line.challenger, self.line.challenged)
        return next((side.player for side in sides if code and side.player_id != code), "")

    def name_of(self, code: str | None) -> str:
        """Return the name of one of the two by the code."""
        two = (self.line.challenger, self.line.challenged)
        return next((one.player for one in two if one.player_id == code), "")


def challenges_in_words(
    event: Event, lines: Sequence[ChallengeRow], *, now: datetime, own: str = ""
) -> tuple[ChallengeText, ...]:
    """Return challenges with their words, in the order given.

    Args:
        own: the code of the reader's own member, empty for who is none.
    """
    rules = ladder_rules_of(event).as_json()
    return tuple(
        _challenge_in_words(line, rules, ZoneInfo(event.club.time_zone), now, own) for line in lines
    )


def left_until(at: datetime, now: datetime) -> str:
    """Return what is left until a moment: days, below two of them hours; empty once it is over."""
    hours = int((at - now) / timedelta(hours=1))
    if at <= now:
        return ""
    if hours >= 48:
        return ngettext("%(n)d day left", "%(n)d days left", hours // 24) % {"n": hours // 24}
    if hours < 1:
        return ngettext("less than %(n)d hour left", "less than %(n)d hours left", 1) % {"n": 1}
    return ngettext("%(n)d hour left", "%(n)d hours left", hours) % {"n": hours}


def _challenge_in_words(
    line: ChallengeRow, rules: JsonObject, zone: ZoneInfo, now: datetime, own: str
) -> ChallengeText:
    since = line.played_at or line.accepted_at or line.issued_at
    hours = timedelta(hours=1)
    total = int((line.due_at - since) / hours) if line.due_at else 0
    is_own = bool(own) and own in (line.challenger.player_id, line.challenged.player_id)
    return ChallengeText(
        line=line,
        icon=ICONS.get(line.state, "same"),
        is_open=line.state in OPEN_CHALLENGES,
        due=by_when(line.due_at, zone) if line.due_at else "",
        over=by_when(line.closed_at, zone, day="j M Y") if line.closed_at else "",
        left=left_until(line.due_at, now) if line.due_at else "",
        gone=min(max(int((now - since) / hours), 0), total),
        total=total,
        own=is_own,
        buttons=tuple(_buttons(line)),
        puts_off=tuple(_puts_off(line, own if is_own else "")),
        may_enter="played" in line.may,
        forgives=bool(rules["forgive_first_refusal"]),
        unplayed=str(rules["unplayed"]),
    )


def _buttons(line: ChallengeRow) -> list[ChallengeButton]:
    found = []
    for to in line.may:
        if to in ("played", POSTPONE):
            continue
        text = BUTTONS.get((line.state, to), "")
        if to in ("forfeited_c", "forfeited_d"):
            who = line.challenger if to == "forfeited_c" else line.challenged
            text = str(GIVES_UP) % {"name": who.player}
        elif to == "cancelled" and line.cancel_asked_by:
            text = AGREE
        found.append(ChallengeButton(to, str(text), needs_reason=to == "void"))
    return found


def _puts_off(line: ChallengeRow, own: str) -> list[ChallengeButton]:
    """One for a member's own game, else one for each of the two who has not done so."""
    if POSTPONE not in line.may:
        return []
    if own:
        return [ChallengeButton(POSTPONE, str(PUTS_OFF))]
    return [
        ChallengeButton(POSTPONE, str(PUTS_OFF_FOR) % {"name": side.player}, by)
        for by, side in (("challenger", line.challenger), ("challenged", line.challenged))
        if side.player_id not in line.postponed_by
    ]
