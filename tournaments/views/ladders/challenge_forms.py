"""Challenges and absences as forms; each refusal names people and local times, not ids and UTC."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from django import forms
from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.selectors.ladders.challenges import by_when
from tournaments.views.http.find_players import PeopleForm, PersonField, offered
from tournaments.views.rules.variant_options import WHOLE

LONGEST_WORDS: Final = 500


STATES: Final[Mapping[str, str | Promise]] = {
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
"""The first of a list from which nobody is chosen yet."""


_PEOPLE: Final = ("member", "other", "loser")
_STATES: Final = ("found", "wanted")


def _day(label: str | Promise, hint: str | Promise) -> forms.DateField:
    return forms.DateField(
        label=label,  # type: ignore[arg-type]  # lazy text
        required=False,
        help_text=hint,  # type: ignore[arg-type]  # lazy text
        error_messages={"invalid": _("Enter the date as 2026-11-20.")},
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


def _words(label: str | Promise, hint: str | Promise) -> forms.CharField:
    return forms.CharField(
        label=label,  # type: ignore[arg-type]  # lazy text
        required=False,
        help_text=hint,  # type: ignore[arg-type]  # lazy text
        max_length=LONGEST_WORDS,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class LadderForm(PeopleForm):
    """What forms of a ladder share.

    Args:
        names: code → name of its members, the names stand in what is refused.
        zone: of the club, in which moments are said.
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
        """Return the sentence of a problem, with names for ids and local times."""
        facts = dict(problem.facts)
        for key in _PEOPLE:
            if key in facts:
                facts[key] = self.names.get(str(facts[key]), str(facts[key]))
        if problem.code == "challenge_state":
            facts |= {key: str(STATES.get(str(facts[key]), facts[key])) for key in _STATES}
        if problem.code == "challenge_too_late":
            over = datetime.fromisoformat(str(facts["over"]))
            facts["over"] = by_when(over, self._zone, day="j M Y")
        if problem.code == "challenge_rematch":
            facts["until"] = formats.date_format(date.fromisoformat(str(facts["until"])), "j M Y")
        return super().sentence_of(replace(problem, facts=facts))


class ChallengeForm(LadderForm):
    """Whom one challenges, and a comment; `challenger` for who may send one for others.

    Args:
        choices: code and label of those who may be challenged.
        members: code and label of everybody on the list, for who sends it for others; empty else.
    """

    challenger = PersonField(label=_("Challenger"), required=False)
    challenged = PersonField(label=_("Challenged member"), required=False)
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
            # Nobody is chosen beforehand: both lists begin with the same member.
            for name in ("challenger", "challenged"):
                offered(self.fields[name], members, nobody=NOBODY)
            self.fields["challenged"].required = True
            self.fields["challenged"].error_messages["required"] = _(
                "Choose the challenged member."
            )
        else:
            del self.fields["challenger"]


class ChallengeStateForm(LadderForm):
    """One button of a challenge: where it goes, and why where that is asked."""

    to = forms.CharField(required=False, widget=forms.HiddenInput)
    by = forms.CharField(required=False, widget=forms.HiddenInput)
    reason = _words(_("Reason"), _("One sentence. Shown in the event's change log."))


class ResultForm(LadderForm):
    """How a challenge was played: a table of the event, or everybody's totals.

    Args:
        two: code and name of the challenger and the challenged.
        others: code and label of the other members of the ladder.
        tables: code and label of the tables that may have been it.
        seats: how many play, least and most; there are rows for the most.
    """

    table = forms.CharField(label=_("Table"), required=False)
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
        self.least, self._seats = seats
        for seat in range(1, self._seats + 1):
            label = two[seat - 1][1] if seat <= len(two) else gettext("seat %d") % seat
            who = PersonField(
                label=gettext("Player in seat %d") % seat,
                required=False,
                initial=two[seat - 1][0] if seat <= len(two) else "",
            )
            if seat <= len(two):
                who.widget = forms.HiddenInput()
            else:
                who.offer(others, nobody=NOBODY)
            self.fields[f"player-{seat}"] = who
            self.fields[f"points-{seat}"] = forms.CharField(
                label=gettext("Points of %(name)s") % {"name": label},
                required=False,
                max_length=20,
                widget=forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off"}),
            )

    @property
    def most(self) -> int:
        """How many play at most."""
        return self._seats

    @property
    def rows(self) -> list[tuple[int, forms.BoundField, forms.BoundField]]:
        """The seats with their two fields each."""
        seats = range(1, self._seats + 1)
        return [(seat, self[f"player-{seat}"], self[f"points-{seat}"]) for seat in seats]

    def result(self) -> JsonDict:
        """Return what `give_result` takes; an empty row is nobody's."""
        typed = self.cleaned_data
        points: dict[str, object] = {}
        for seat in range(1, self._seats + 1):
            who, text = typed[f"player-{seat}"].strip(), typed[f"points-{seat}"].strip()
            if who and (text or not typed.get("table")):
                points[who] = _number(text)
        if not any(points.values()) and not any(point == 0 for point in points.values()):
            points = {}
        table = typed.get("table", "")
        return {"table": table, "points": points or None, "played_on": typed["played_on"]}

    def clean(self) -> JsonDict:
        """Say where somebody sits twice, or where points are nobody's."""
        typed = super().clean() or self.cleaned_data
        seen: dict[str, int] = {}
        for seat in range(1, self._seats + 1):
            who, text = typed.get(f"player-{seat}", ""), typed.get(f"points-{seat}", "")
            if text.strip() and not who:
                self.add_error(f"player-{seat}", gettext("Choose the player for these points."))
            if who and who in seen:
                said = gettext("%(name)s is already in seat %(seat)d.")
                facts = {"name": self.names.get(who, who), "seat": seen[who]}
                self.add_error(f"player-{seat}", said % facts)
            elif who:
                seen[who] = seat
        return typed

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem: that of the player whom it is about."""
        if problem.at[:1] == ("points",):
            rest = problem.at[1:2]
            if rest and isinstance(rest[0], int):
                return f"points-{rest[0] + 1}" if rest[0] < self._seats else None
            who = str(rest[0]) if rest else ""
            seats = range(1, self._seats + 1)
            return next(
                (f"points-{n}" for n in seats if self.cleaned_data.get(f"player-{n}") == who), None
            )
        return super().field_of(problem)


class AbsenceForm(LadderForm):
    """Days on which a member is away; `player_id` for who tells it for others.

    Args:
        members: code and label of everybody on the list, for who tells it for others; empty else.
    """

    player_id = PersonField(label=_("Member"), required=False)
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
        """Ask for the first day, without which there is no absence."""
        typed = super().clean() or self.cleaned_data
        if not typed.get("since") and "since" not in self.errors:
            self.add_error("since", gettext("Enter the first day of the absence."))
        return typed


def _number(text: str) -> object:
    """A whole number, with a minus in any writing; other text stays for the scorer to refuse."""
    plain = text.replace("\N{MINUS SIGN}", "-")
    return int(plain) if WHOLE.fullmatch(plain) else text
