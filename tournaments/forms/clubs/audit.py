"""What an owner looks for in the audit trail."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.selectors.audit.audit_lines import AuditFilter


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
