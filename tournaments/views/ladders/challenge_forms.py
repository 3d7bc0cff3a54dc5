"""Texts and forms of challenges and absences; problems name people and local times."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, ClassVar, Final
from zoneinfo import ZoneInfo

from django import forms
from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event
from tournaments.models.ladders import OPEN_CHALLENGES
from tournaments.selectors.ladders.challenges import DISPUTE, POSTPONE, ChallengeRow, by_when
from tournaments.views.http.find_players import PeopleForm, PersonField, offered
from tournaments.views.http.service_form import day_field, gives, hidden_field
from tournaments.views.rules.variant_options import WHOLE

ICONS: Final = {
    "issued": "clock",
    "accepted": "seat",
    "played": "cards",
    "confirmed": "check",
    "declined": "flag",
    "expired": "clock",
}

BUTTONS: Final = {
    ("issued", "accepted"): _("Accept"),
    ("issued", "declined"): _("Decline"),
    ("issued", "withdrawn"): _("Withdraw challenge"),
    ("issued", "expired"): _("End without answer"),
    ("played", "confirmed"): _("Confirm result"),
    ("played", "accepted"): _("Withdraw result"),  # of hosts; the two report what is wrong
    ("accepted", "cancelled"): _("Cancel challenge"),
    ("confirmed", "void"): _("Void challenge"),
}
"""The buttons of moves; those of forfeits have a name."""

STATES: Final = {
    "issued": _("awaiting an answer"),
    "accepted": _("accepted"),
    "played": _("played, not confirmed"),
    "confirmed": _("confirmed"),
    "declined": _("declined"),
    "expired": _("not answered in time"),
    "withdrawn": _("withdrawn"),
    "forfeited_c": _("forfeited by the challenger"),
    "forfeited_d": _("forfeited by the challenged"),
    "cancelled": _("cancelled"),
    "void": _("deleted"),
}
"""The states of a challenge in words."""

NOBODY: Final = "–"
"""The first choice of a list of members."""


def challenges_in_words(
    event: Event, lines: Sequence[ChallengeRow], *, now: datetime, own: str
) -> tuple[JsonDict, ...]:
    """Return challenges with their words.

    `gone` of `total` hours are used; `due` is empty without one, and `over` while it is open. `own`
    is whether the reader is one of the two. `buttons` set other states, `puts_off` postpone the
    game: each has `to`, the new state, `text`, `by`, for which of the two, `needs_reason`, and
    whether it `asks` first, as it ends or withdraws something. `may_enter` is whether the reader
    may enter its result, `may_dispute` may report it as wrong and nobody has, `asks_reader` whether
    it waits for the reader to answer, play or confirm. `role` is what the reader's own member does
    in it now (`_role_of`). `stake` has the places now and after a win of the challenger, and
    `moves` whether the result that was entered is one. `is_won` is whether the reader is ahead.
    Names are empty where there is nobody: `winner` and `loser` of the game, `confirmed_winner` and
    `confirmed_loser` of the confirmation.

    Args:
        own: the code of the reader's own member, empty without one.
    """
    rules = ladder_rules_of(event).as_json()
    return tuple(_challenge_in_words(line, rules, event.club.zone, now, own) for line in lines)


def main_challenge(challenges: Iterable[JsonDict]) -> JsonDict | None:
    return next((each for each in challenges if each["own"] and each["asks_reader"]), None)


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
) -> JsonDict:
    since = line.played_at or line.accepted_at or line.issued_at
    hours = timedelta(hours=1)
    total = int((line.due_at - since) / hours) if line.due_at else 0
    sides = (line.challenger, line.challenged)
    is_own = bool(own) and own in [side["player_id"] for side in sides]

    def name(code: str | None) -> str:
        return next((side["player"] for side in sides if side["player_id"] == code), "")

    def other_name(code: str | None) -> str:
        return next((side["player"] for side in sides if code and side["player_id"] != code), "")

    next_states = {"issued": "accepted", "accepted": "played", "played": "confirmed"}
    next_state = next_states.get(line.state)
    buttons = []
    for to in line.may:
        is_withdrawal = (line.state, to) == ("played", "accepted")
        if to in ("played", POSTPONE, DISPUTE) or (is_withdrawal and is_own):
            continue
        text = BUTTONS.get((line.state, to), "")
        if to in ("forfeited_c", "forfeited_d"):
            side = line.challenger if to == "forfeited_c" else line.challenged
            text = gettext("%(name)s forfeits") % {"name": side["player"]}
        elif to == "cancelled" and line.cancel_asked_by:
            text = gettext("Agree to cancel")
        asks = to != next_state
        buttons.append({"to": to, "text": str(text), "needs_reason": to == "void", "asks": asks})
    # One for a member's own game, else one for each of the two that has not postponed it.
    postponements = [{"to": POSTPONE, "text": gettext("Postpone game")}]
    if not is_own:
        text = gettext("Postpone for %(name)s")
        postponements = [
            {"to": POSTPONE, "text": text % {"name": side["player"]}, "by": by}
            for by, side in zip(("challenger", "challenged"), sides, strict=True)
            if side["player_id"] not in line.postponed_by
        ]
    return {
        "line": line,
        "icon": ICONS.get(line.state, "same"),
        "is_open": line.state in OPEN_CHALLENGES,
        "due": by_when(line.due_at, zone) if line.due_at else "",
        "over": by_when(line.closed_at, zone, day="j M Y") if line.closed_at else "",
        "left": left_until(line.due_at, now) if line.due_at else "",
        "gone": min(max(int((now - since) / hours), 0), total),
        "total": total,
        "own": is_own,
        "buttons": buttons,
        "puts_off": postponements if POSTPONE in line.may else (),
        "may_enter": "played" in line.may,
        "asks_reader": next_state in line.may,
        "may_dispute": DISPUTE in line.may and line.dispute is None,
        "role": _role_of(line, own),
        "is_won": is_own and own == line.winner,
        "stake": line.stake if all(side["place"] for side in line.stake) else (),
        "moves": line.stake and line.winner == line.challenger["player_id"],
        "forgives": bool(rules["forgive_first_refusal"]),
        "unplayed": str(rules["unplayed"]),
        "cancel_asked_by": name(line.cancel_asked_by),
        "winner": name(line.winner),
        "loser": other_name(line.winner),
        "confirmed_winner": name(line.confirmed_winner),
        "confirmed_loser": other_name(line.confirmed_winner),
    }


def _role_of(line: ChallengeRow, own: str) -> str:
    """Return what a member does in an open challenge now, whether or not the reader may.

    `answers`, `waits` for the answer, `plays`, `confirms`, `won`; empty for anybody else.
    """
    challenger = line.challenger["player_id"]
    challenged = line.challenged["player_id"]
    if not own or own not in (challenger, challenged):
        return ""
    if line.state == "issued":
        return "answers" if own == challenged else "waits"
    if line.state == "accepted":
        return "plays"
    if line.state == "played":
        return "won" if own == line.winner else "confirms"
    return ""


def _day(label: str | Promise, hint: str | Promise) -> forms.DateField:
    return day_field(label, hint, invalid=_("Enter the date as 2026-11-20."))


def _words(label: str | Promise, hint: str | Promise) -> forms.CharField:
    return forms.CharField(
        label=label,  # type: ignore[arg-type]  # lazy text
        help_text=hint,  # type: ignore[arg-type]  # lazy text
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class LadderForm(PeopleForm):
    """The base of the forms of a ladder.

    Args:
        names: code → name of its members, for problems.
        zone: of the club, for moments in problems.
    """

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        names: Mapping[str, str] | None = None,
        zone: str = "UTC",
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        self.names: Mapping[str, str] = names or {}
        self._zone = ZoneInfo(zone)

    def sentence_of(self, problem: Problem) -> str:
        facts = dict(problem.facts)
        for key in ("member", "other", "loser"):
            if key in facts:
                facts[key] = self.names.get(str(facts[key]), str(facts[key]))
        if problem.code == "challenge_state":
            for key in ("found", "wanted"):
                facts[key] = str(STATES.get(str(facts[key]), facts[key]))
        if problem.code == "challenge_too_late":
            closed_at = datetime.fromisoformat(str(facts["over"]))
            facts["over"] = by_when(closed_at, self._zone, day="j M Y")
        if problem.code == "challenge_rematch":
            facts["until"] = formats.date_format(date.fromisoformat(str(facts["until"])), "j M Y")
        return super().sentence_of(replace(problem, facts=facts))


class ChallengeForm(LadderForm):
    """The challenged member and a comment; hosts enter the challenger, too.

    Args:
        choices: code and label of the members that may be challenged.
        members: code and label of all members on the list, for hosts; empty else.
    """

    challenger = PersonField(label=_("Challenger"))
    challenged = PersonField(label=_("Challenged member"))
    words = _words(_("Comment (optional)"), _("Shown to all readers of this ladder."))

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        choices: Sequence[tuple[str, str]] = (),
        members: Sequence[tuple[str, str]] = (),
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        offered(self.fields["challenged"], choices)
        if members:
            # Without an initial choice: both lists begin with the same member.
            for name in ("challenger", "challenged"):
                offered(self.fields[name], members, nobody=NOBODY)
            self.required_fields = ("challenged",)
            self.fields["challenged"].error_messages["required"] = _(
                "Choose the challenged member."
            )
        else:
            del self.fields["challenger"]


class ChallengeStateForm(LadderForm):
    to = hidden_field()
    by = hidden_field()
    reason = _words(_("Reason"), _("One sentence. Shown in the event's change log."))

    @gives("to", "reason")
    def get_arguments(self) -> Mapping[str, object]:
        return {name: self.cleaned_data[name] for name in ("to", "reason")}


class WrongResultForm(LadderForm):
    required_fields = ("words",)
    words = _words(
        _("What is wrong?"),
        _("One sentence. The other player, your table and the directors of the club read it."),
    )
    words.error_messages["required"] = _("Describe in one sentence what is wrong.")
    sentences: ClassVar = {"reason_required": _("Describe in one sentence what is wrong.")}


class PostponeForm(ChallengeStateForm):
    @gives("by")
    def get_arguments(self) -> Mapping[str, object]:
        return {"by": self.cleaned_data["by"]}


class ResultForm(LadderForm):
    """The result of a challenge: a table of the event, or the totals of all players.

    Args:
        two: code and name of the challenger and the challenged.
        others: code and label of the other members of the ladder.
        tables: code and label of the tables that may have been its game.
        seats: the least and the most players; there are rows for the most.
    """

    table = forms.CharField(label=_("Table"))
    played_on = _day(_("Played on"), _("If empty: today."))

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        two: Sequence[tuple[str, str]] = (),
        others: Sequence[tuple[str, str]] = (),
        tables: Sequence[tuple[str, str]] = (),
        seats: tuple[int, int] = (4, 4),
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        nothing = ("", gettext("none, enter totals below"))
        self.fields["table"].widget = forms.Select(choices=[nothing, *tables])
        if not tables:
            del self.fields["table"]
        self.least, self.most = seats
        for seat in range(1, self.most + 1):
            code, label = two[seat - 1] if seat <= len(two) else ("", gettext("seat %d") % seat)
            field = PersonField(label=gettext("Player in seat %d") % seat, initial=code)
            if seat <= len(two):
                field.widget = forms.HiddenInput()
            else:
                field.offer(others, nobody=NOBODY)
            self.fields[f"player-{seat}"] = field
            self.fields[f"points-{seat}"] = forms.CharField(
                label=gettext("Points of %(name)s") % {"name": label},
                max_length=20,
                widget=forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off"}),
            )

    @property
    def rows(self) -> list[tuple[int, forms.BoundField, forms.BoundField]]:
        seats = range(1, self.most + 1)
        return [(seat, self[f"player-{seat}"], self[f"points-{seat}"]) for seat in seats]

    @gives("table", "points", "played_on", "disputed")
    def get_arguments(self) -> JsonDict:
        typed = self.cleaned_data
        points: dict[str, object] = {}
        for seat in range(1, self.most + 1):
            code = typed[f"player-{seat}"].strip()
            text = typed[f"points-{seat}"].strip()
            if code and (text or not typed.get("table")):
                # Text that is no number is refused by the scorer.
                plain = text.replace("\N{MINUS SIGN}", "-")
                points[code] = int(plain) if WHOLE.fullmatch(plain) else text
        if not any(value or value == 0 for value in points.values()):
            points = {}
        table = typed.get("table", "")
        disputed = self.data.get("reason", "") if self.data.get("go") == "file" else None
        about = {"points": points or None, "disputed": disputed}
        return {"table": table, "played_on": typed["played_on"], **about}

    def clean(self) -> JsonDict:
        typed = super().clean() or self.cleaned_data
        seats: dict[str, int] = {}
        for seat in range(1, self.most + 1):
            code, text = typed.get(f"player-{seat}", ""), typed.get(f"points-{seat}", "")
            if text.strip() and not code:
                self.add_error(f"player-{seat}", gettext("Choose the player for these points."))
            if code and code in seats:
                words = gettext("%(name)s is already in seat %(seat)d.")
                facts = {"name": self.names.get(code, code), "seat": seats[code]}
                self.add_error(f"player-{seat}", words % facts)
            elif code:
                seats[code] = seat
        return typed

    def field_of(self, problem: Problem) -> str | None:
        if problem.at[:1] != ("points",):
            return super().field_of(problem)
        at = problem.at[1] if len(problem.at) > 1 else ""
        if isinstance(at, int):
            if at < self.most:
                return f"points-{at + 1}"
            return None
        codes = {n: self.cleaned_data.get(f"player-{n}") for n in range(1, self.most + 1)}
        return next((f"points-{n}" for n, code in codes.items() if code == at), None)


class AbsenceForm(LadderForm):
    """The days of an absence; hosts enter the member, too.

    Args:
        members: code and label of all members on the list, for hosts; empty else.
    """

    player_id = PersonField(label=_("Member"))
    since = _day(_("First day away"), _("For example 2026-11-20."))
    until = _day(_("Last day away"), _("Leave empty if not known yet."))

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        members: Sequence[tuple[str, str]] = (),
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        if members:
            offered(self.fields["player_id"], members)
        else:
            del self.fields["player_id"]

    def clean(self) -> JsonDict:
        typed = super().clean() or self.cleaned_data
        if not typed.get("since") and "since" not in self.errors:
            self.add_error("since", gettext("Enter the first day of the absence."))
        return typed
