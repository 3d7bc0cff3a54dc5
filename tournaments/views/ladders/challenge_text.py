"""A challenge in words for pages: its deadline as day and time, the time left, its buttons."""

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
"""The buttons of moves; those of forfeits have a name."""

AGREE: Final = _("Agree to cancel")
GIVES_UP: Final = _("%(name)s forfeits")
PUTS_OFF: Final = _("Postpone game")
PUTS_OFF_FOR: Final = _("Postpone for %(name)s")


@dataclass(frozen=True, slots=True)
class ChallengeText:
    """A challenge with its words. `gone` of `total` hours are used; `due` is empty without one, and
    `over` while it is open.

    `own` is whether the reader is one of the two. `buttons` set other states, `puts_off` postpone
    the game: each has `to`, the new state, `text`, `by`, for which of the two, and `needs_reason`.
    `may_enter` is whether the reader may enter its result, `asks_reader` whether it waits for the
    reader to answer, play or confirm. Names are empty where there is nobody: `winner` and `loser`
    of the game, `confirmed_winner` and `confirmed_loser` of the confirmation.
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
    buttons: Sequence[Mapping[str, object]]
    puts_off: Sequence[Mapping[str, object]]
    may_enter: bool
    asks_reader: bool
    forgives: bool
    unplayed: str
    cancel_asked_by: str
    winner: str
    loser: str
    confirmed_winner: str
    confirmed_loser: str


def challenges_in_words(
    event: Event, lines: Sequence[ChallengeRow], *, now: datetime, own: str = ""
) -> tuple[ChallengeText, ...]:
    """Return challenges with their words.

    Args:
        own: the code of the reader's own member, empty without one.
    """
    rules = ladder_rules_of(event).as_json()
    return tuple(
        _challenge_in_words(line, rules, ZoneInfo(event.club.time_zone), now, own) for line in lines
    )


def left_until(at: datetime, now: datetime) -> str:
    """Return the time until a moment in days, or in hours if it is below two days; empty once it is
    over."""
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
    sides = (line.challenger, line.challenged)
    is_own = bool(own) and own in [side.player_id for side in sides]

    def name(code: str | None) -> str:
        return next((side.player for side in sides if side.player_id == code), "")

    def other_name(code: str | None) -> str:
        return next((side.player for side in sides if code and side.player_id != code), "")

    buttons = []
    for to in line.may:
        if to in ("played", POSTPONE):
            continue
        text = BUTTONS.get((line.state, to), "")
        if to in ("forfeited_c", "forfeited_d"):
            side = line.challenger if to == "forfeited_c" else line.challenged
            text = str(GIVES_UP) % {"name": side.player}
        elif to == "cancelled" and line.cancel_asked_by:
            text = AGREE
        buttons.append({"to": to, "text": str(text), "needs_reason": to == "void"})
    # One for a member's own game, else one for each of the two that has not postponed it.
    postponements = [{"to": POSTPONE, "text": str(PUTS_OFF)}]
    if not is_own:
        postponements = [
            {"to": POSTPONE, "text": str(PUTS_OFF_FOR) % {"name": side.player}, "by": by}
            for by, side in zip(("challenger", "challenged"), sides, strict=True)
            if side.player_id not in line.postponed_by
        ]
    next_state = {"issued": "accepted", "accepted": "played", "played": "confirmed"}
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
        buttons=buttons,
        puts_off=postponements if POSTPONE in line.may else (),
        may_enter="played" in line.may,
        asks_reader=next_state.get(line.state) in line.may,
        forgives=bool(rules["forgive_first_refusal"]),
        unplayed=str(rules["unplayed"]),
        cancel_asked_by=name(line.cancel_asked_by),
        winner=name(line.winner),
        loser=other_name(line.winner),
        confirmed_winner=name(line.confirmed_winner),
        confirmed_loser=other_name(line.confirmed_winner),
    )
