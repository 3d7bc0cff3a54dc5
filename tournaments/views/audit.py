"""The audit trail of a club, for its owners."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from tournaments.models.clubs import Club
from tournaments.selectors.audit import (
    AuditFilter,
    list_audit_lines,
    list_operations_in,
    list_people_in,
    list_refused_acts,
    made_by,
)
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_club
from tournaments.views.http.service_form import ServiceForm


class AuditForm(ServiceForm):
    """Filters by person, operation, object and day; an empty one is not applied."""

    by = forms.ChoiceField(label=_("Person"))
    act = forms.ChoiceField(label=_("Act"))
    object = forms.CharField(
        label=_("Object"),
        max_length=160,
        help_text=_("As in the list, or its beginning: “player:RL24”, “event:league”."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    day = forms.DateField(
        label=_("Day"),
        widget=forms.DateInput(attrs={"type": "date"}),
        error_messages={"invalid": _("Enter a date, for example 2025-11-06.")},
    )

    def __init__(
        self, *args: Any, people: Sequence[str], operations: Sequence[str], **more: Any
    ) -> None:
        super().__init__(*args, **more)
        for name, empty_label, choices in (
            ("by", _("Everybody"), [(name, name) for name in people]),
            (
                "act",
                _("All acts"),
                [(operation, operation_in_words(operation)) for operation in operations],
            ),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
            field.choices = [("", empty_label), *choices]

    def filter(self, zone: str) -> AuditFilter:
        """Return the filter of a valid form; a day is a local day of the club."""
        by, operation, subject, day = (self.cleaned_data[name] for name in self.fields)
        since = datetime.combine(day, time(), ZoneInfo(zone)) if day else None
        before = since + timedelta(days=1) if since else None
        return AuditFilter(by, operation, subject.strip(), since, before)


def operation_in_words(operation: str) -> str:
    """Return an operation of the trail as words.

    >>> operation_in_words("give_role")
    'Give role'
    """
    words = operation.replace("_", " ")
    return words[:1].upper() + words[1:]


LINES_AT_ONCE: Final = 50


@club_form_page("read_audit")
def audit(request: PageRequest, club: Club) -> HttpResponse:
    people = list_people_in(club)
    operations = list_operations_in(club)
    form = AuditForm(request.GET, people=people, operations=operations)
    if form.is_valid():
        criteria = form.filter(club.time_zone)
    else:
        criteria = AuditFilter()
    lines = list_audit_lines(club, criteria)
    if before := number_in(request.GET.get("before", "")):
        lines = lines.filter(number__lt=before)
    rows = list(lines[: LINES_AT_ONCE + 1])
    query = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    context = {
        "form": form,
        "lines": [
            (row, made_by(row), operation_in_words(row.act), _facts(row.facts))
            for row in rows[:LINES_AT_ONCE]
        ],
        "earlier": urlencode({**query, "before": rows[LINES_AT_ONCE - 1].number})
        if len(rows) > LINES_AT_ONCE
        else "",
        "refused": [
            (row, made_by(row), operation_in_words(row.act))
            for row in list_refused_acts(club, criteria)[: 0 if before else LINES_AT_ONCE]
        ],
        "is_filtered": bool(query),
    }
    return render_club(request, "audit/audit.html", club, context, form)


def _facts(facts: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')}: {_value(value)}" for name, value in facts.items())


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return _facts(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(_value, value)) or "–"
    if value is None or value == "":
        return "–"
    return str(value)
