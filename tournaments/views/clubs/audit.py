"""The audit trail of a club, for its owners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from tournaments.models.audit import AuditLine
from tournaments.selectors.audit.audit_lines import (
    AuditFilter,
    list_audit_lines,
    list_operations_in,
    list_people_in,
    list_refused_acts,
    made_by,
)
from tournaments.selectors.clubs.clubs import get_club
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm


class AuditForm(ServiceForm):
    """Person, act, object and day; what is left empty does not limit."""

    by = forms.ChoiceField(label=_("Person"), required=False)
    act = forms.ChoiceField(label=_("Act"), required=False)
    object = forms.CharField(
        label=_("Object"),
        required=False,
        max_length=160,
        help_text=_("As in the list, or its beginning: “player:RL24”, “event:league”."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    day = forms.DateField(
        label=_("Day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        error_messages={"invalid": _("Enter a date, for example 2025-11-06.")},
    )

    def __init__(self, *args: Any, people: Sequence[str], acts: Sequence[str], **more: Any) -> None:
        super().__init__(*args, **more)
        self._choose("by", _("Everybody"), [(one, one) for one in people])
        self._choose("act", _("All acts"), [(one, act_in_words(one)) for one in acts])

    def _choose(self, name: str, every: Any, choices: Sequence[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = [("", every), *choices]

    def wanted(self, zone: str) -> AuditFilter:
        """Return the filter of a valid form; a day is a local day of the club."""
        chosen = self.cleaned_data
        day: date | None = chosen["day"]
        since = datetime.combine(day, time(), ZoneInfo(zone)) if day else None
        return AuditFilter(
            by=chosen["by"],
            act=chosen["act"],
            object=chosen["object"].strip(),
            since=since,
            before=since + timedelta(days=1) if since else None,
        )


def act_in_words(act: str) -> str:
    """Return an act of the trail as words.

    >>> act_in_words("give_role")
    'Give role'
    """
    words = act.replace("_", " ")
    return words[:1].upper() + words[1:]


AT_ONCE: Final = 50


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A line as its page prints it."""

    number: int
    at: datetime
    by: str
    act: str
    object: str
    facts: str


@form_page("read_audit")
def audit(request: PageRequest, club: str) -> HttpResponse:
    """Print the lines that the owner looks for, the newest first, a page at a time."""
    current_club = get_club(request.actor, club)
    people, acts = list_people_in(current_club), list_operations_in(current_club)
    form = AuditForm(request.GET, people=people, acts=acts)
    wanted = form.wanted(current_club.time_zone) if form.is_valid() else AuditFilter()
    lines = list_audit_lines(current_club, wanted)
    if before := number_in(request.GET.get("before", "")):
        lines = lines.filter(number__lt=before)
    shown = list(lines[: AT_ONCE + 1])
    asked = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    earlier = ""
    if len(shown) > AT_ONCE:
        earlier = urlencode({**asked, "before": shown[AT_ONCE - 1].number})
    context = {
        "layout": layout.club_layout(request, current_club, (layout.club_link(current_club),)),
        "club": current_club,
        "form": form,
        "lines": [_row(line) for line in shown[:AT_ONCE]],
        "earlier": earlier,
        "refused": [
            (row, made_by(row), act_in_words(row.act))
            for row in list_refused_acts(current_club, wanted)[: 0 if before else AT_ONCE]
        ],
        "is_filtered": bool(asked),
    }
    status = 200 if form.is_valid() else REFUSED
    return render(request, "clubs/audit.html", context, status=status)


def _row(line: AuditLine) -> AuditRow:
    return AuditRow(
        line.number,
        line.at,
        made_by(line),
        act_in_words(line.act),
        line.subject,
        _facts(line.facts),
    )


def _facts(facts: Mapping[str, object]) -> str:
    """Return facts as a list of words; ids and numbers only."""
    return ", ".join(f"{name.replace('_', ' ')}: {_value(value)}" for name, value in facts.items())


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return _facts(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(_value(one) for one in value) or "–"
    return "–" if value is None or value == "" else str(value)
