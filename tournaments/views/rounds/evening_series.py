"""Evenings that are planned, changed or cancelled together; each page first shows their dates."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from django import forms
from django.http import HttpResponse
from django.utils.dates import WEEKDAYS as WEEKDAY_NAMES
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.domain.etags import mark_of_text
from tournaments.domain.evening_series import SERIES_INTERVALS, WEEKDAYS, Break
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.selectors.attendance.places import PLACES, kind_of_places
from tournaments.selectors.events.evening_series import SeriesDate, count_changes
from tournaments.selectors.events.meetings import date_of, last_place_and_time, meeting_on
from tournaments.services.attendance.set_attendance import UNCHANGED
from tournaments.services.operations import DeclaredOperation
from tournaments.services.rounds.evening_series import (
    cancel_meetings,
    change_later_meetings,
    plan_series,
    preview_dates,
)
from tournaments.views.events.new_event_forms import INTERVAL_WORDS
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_manage
from tournaments.views.http.service_form import (
    ServiceForm,
    day_field,
    gives,
    hidden_field,
    operation_of,
    posted,
    text_field,
)
from tournaments.views.rounds.meetings import SHOWN_REASON

BREAKS: Final = range(1, 4)
"""Breaks that one form takes."""
_BAD_DAY: Final = _("Enter the date as 2026-11-20.")


def _day(label: Any, hint: Any = "") -> forms.DateField:
    return day_field(label, hint, required=_BAD_DAY, invalid=_BAD_DAY)


def _time(hint: Any) -> forms.TimeField:
    return forms.TimeField(
        label=_("Time"),
        help_text=hint,
        error_messages={"invalid": _("Enter the time as 19:30.")},
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )


def _number(label: Any, hint: Any, **messages: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        help_text=hint,
        error_messages=messages,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )


class _DatesForm(ServiceForm):
    """A form whose dates are shown before anything is saved."""

    previewed = hidden_field()

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; that of the second break is `break_2_first`."""
        if problem.at[:1] == ("breaks",) and len(problem.at) > 1:
            *_path, number, name = problem.at
            field = f"break_{int(number) + 1}_{name}"
            return field if field in self.fields else None
        return super().field_of(problem)


class SeriesForm(_DatesForm):
    required_fields = ("first",)
    first = _day(_("First evening"))
    last = _day(_("Last evening"))
    number = _number(
        _("Number of evenings"),
        _("In place of the last evening. Those in breaks do not count."),
        invalid=_("Enter a number of evenings."),
    )
    interval = forms.ChoiceField(
        label=_("How often"),
        choices=[(key, INTERVAL_WORDS[key]) for key in SERIES_INTERVALS],
        help_text=_("Each evening is on the day of the week of the first one."),
    )
    time = _time(_("Optional. For example 19:30."))
    capacity = _number(
        _("Places for players"),
        _("Empty: as in the event’s settings. 0: everybody can come."),
        invalid=_("Enter a number of places."),
    )

    def __init__(self, *args: Any, event: Event, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["capacity"].label = PLACES[kind_of_places(event)]
        # Not an attribute of the class: `place` is a method of every form here.
        self.fields["place"] = text_field(_("Place"), _("Optional. For example Riverside Hall."))
        for number in BREAKS:
            self.fields[f"break_{number}_first"] = _day(_("No evening from"))
            self.fields[f"break_{number}_last"] = _day(_("No evening until"))
            self.fields[f"break_{number}_reason"] = text_field(_("Reason"))

    @property
    def breaks(self) -> Sequence[Sequence[forms.BoundField]]:
        """The fields of each break."""
        names = ("first", "last", "reason")
        return [[self[f"break_{number}_{name}"] for name in names] for number in BREAKS]

    @property
    def has_breaks(self) -> bool:
        return any(field.value() or field.errors for fields in self.breaks for field in fields)

    @gives("first", "last", "number", "interval", "breaks", "at", "place", "capacity")
    def get_arguments(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {
            "first": data["first"],
            "last": data["last"],
            "number": data["number"],
            "interval": data["interval"] or SERIES_INTERVALS[0],
            "breaks": self._breaks(),
            "at": data["time"],
            "place": data["place"],
            "capacity": data["capacity"],
        }

    def _breaks(self) -> Sequence[Break]:
        """Return the breaks; one of a single day has no last one."""
        data = self.cleaned_data
        breaks = []
        for number in BREAKS:
            first = data[f"break_{number}_first"] or data[f"break_{number}_last"]
            last = data[f"break_{number}_last"] or first
            if first is not None:
                breaks.append(Break(first, last, data[f"break_{number}_reason"]))
        return breaks


class LaterForm(_DatesForm):
    """What changes on an evening and the later ones; an empty field stays as it is."""

    weekday = forms.ChoiceField(
        label=_("Day of the week"),
        choices=[("", _("As it is")), *zip(WEEKDAYS, WEEKDAY_NAMES.values(), strict=True)],
    )
    time = _time(_("Empty: as it is."))
    capacity = _number(
        _("Places for players"),
        _("Empty: as it is. 0: everybody can come."),
        invalid=_("Enter a number of places."),
    )

    def __init__(self, *args: Any, event: Event, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["capacity"].label = PLACES[kind_of_places(event)]
        # Not an attribute of the class: `place` is a method of every form here.
        self.fields["place"] = text_field(_("Place"), _("Empty: as it is."))

    @gives("weekday", "at", "place", "capacity")
    def get_arguments(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {
            "weekday": data["weekday"],
            "at": UNCHANGED if data["time"] is None else data["time"],
            "place": data["place"] or None,
            "capacity": UNCHANGED if data["capacity"] is None else data["capacity"],
        }


class BreakForm(_DatesForm):
    required_fields = ("first",)
    first = _day(_("No evening from"))
    last = _day(_("No evening until"), _("Empty: on that day alone."))
    reason = text_field(_("Reason"), SHOWN_REASON)

    @gives("first", "last", "reason")
    def get_arguments(self) -> dict[str, Any]:
        names = ("first", "last", "reason")
        return {name: self.cleaned_data[name] for name in names}


class _Shown:
    """The dates of a page: shown first, then saved if they are still the same."""

    def __init__(self, request: PageRequest, form: _DatesForm) -> None:
        self.request = request
        self.form = form
        self.dates: Sequence[SeriesDate] = ()
        self.is_outdated = False

    @property
    def n_changes(self) -> int:
        return count_changes(self.dates)

    @property
    def n_in_breaks(self) -> int:
        """The dates in breaks without a reason."""
        return sum(each.state == "in_break" and not each.reason for each in self.dates)

    @property
    def n_others(self) -> int:
        """The dates that stay as they are, and those in a break with its reason."""
        return len(self.dates) - self.n_changes - self.n_in_breaks

    @property
    def digest(self) -> str:
        return mark_of_text(
            " ".join(f"{each.day}:{each.state}:{each.to}:{each.reason}" for each in self.dates)
        )

    def save(
        self,
        operation: DeclaredOperation[..., Sequence[SeriesDate]],
        subject: Event | Meeting,
        **chosen: object,
    ) -> bool:
        """Save the dates that the page showed; False where it shows them, or why they are refused.

        `chosen` is chosen among the dates that are shown.
        """
        form = self.form
        if not form.is_valid():
            return False
        op = operation_of(self.request)
        with form.placing():
            arguments = form.get_arguments()
            self.dates = preview_dates(lambda: operation(op, subject, **arguments))
            if "save" not in self.request.POST:
                return False
            if form.cleaned_data["previewed"] == self.digest:
                self.dates = operation(op, subject, **arguments, **chosen)
                return True
            self.is_outdated = True
        return False


@event_form_page((plan_series, SeriesForm, "left_out"))
def new_meetings(request: PageRequest, event: Event) -> HttpResponse:
    at, place = last_place_and_time(event)
    form = SeriesForm(posted(request), event=event, initial={"time": at, "place": place})
    shown = _Shown(request, form)
    if shown.save(plan_series, event, left_out=_days(request.POST.getlist("left_out"))):
        text = ngettext("%(n)s evening planned.", "%(n)s evenings planned.", shown.n_changes)
        return done(request, text % {"n": shown.n_changes}, "meetings", event)
    return _render(request, "rounds/new_meetings.html", event, shown)


@event_form_page((change_later_meetings, LaterForm))
def change_later(request: PageRequest, event: Event, day: str) -> HttpResponse:
    meeting = meeting_on(event, date_of(day))
    shown = _Shown(request, LaterForm(posted(request), event=event))
    if shown.save(change_later_meetings, meeting):
        text = ngettext("%(n)s evening changed.", "%(n)s evenings changed.", shown.n_changes)
        return done(request, text % {"n": shown.n_changes}, "meetings", event)
    return _render(request, "rounds/change_later.html", event, shown, meeting)


@event_form_page((cancel_meetings, BreakForm))
def new_break(request: PageRequest, event: Event) -> HttpResponse:
    shown = _Shown(request, BreakForm(posted(request)))
    if shown.save(cancel_meetings, event):
        n = shown.n_changes
        text = ngettext("%(n)s evening is cancelled.", "%(n)s evenings are cancelled.", n)
        return done(request, text % {"n": n}, "meetings", event)
    return _render(request, "rounds/new_break.html", event, shown)


def _days(texts: Sequence[str]) -> Sequence[date]:
    """Return the dates that were ticked; what is not one was not on the page."""
    days = []
    for text in texts:
        try:
            days.append(date.fromisoformat(text))
        except ValueError:
            continue
    return days


def _render(
    request: PageRequest,
    template: str,
    event: Event,
    shown: _Shown,
    meeting: Meeting | None = None,
) -> HttpResponse:
    ticked = set(_days(request.POST.getlist("left_out")))
    context = {
        "form": shown.form,
        "shown": shown,
        "dates": [(each, each.day in ticked) for each in shown.dates],
        "is_shown": request.method == "POST" and not shown.form.has_problems,
        "meeting": meeting,
    }
    below = (layout.evenings_link(event),)
    return render_manage(request, template, event, context, shown.form, below=below)
