"""Penalties, bonuses, opening values and the season so far: entered and withdrawn by directors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import partial
from typing import Any, Final

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.season import SeasonRow, may_be_so_far, points_of_evenings
from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import exact_json
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.models.standings import LedgerKind, LedgerLine
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import entrant_rows, get_line, ledger_rows
from tournaments.selectors.events.meetings import (
    club_day,
    date_of,
    find_evening_on,
    list_evening_days,
    meeting_on,
)
from tournaments.selectors.standings.opening_values import (
    get_opening_value,
    has_opening_values,
    list_played_days,
    number_needed,
    opening_rows,
)
from tournaments.services.events.adjustments import (
    add_line,
    amount_of,
    penalties_add,
    withdraw_line,
)
from tournaments.services.events.opening_values import (
    NewOpeningValue,
    add_opening_values,
    possible_problems,
    withdraw_opening_value,
)
from tournaments.services.imports.season import (
    add_season,
    likely_members,
    season_of,
    season_problems,
)
from tournaments.services.previewing.preview_lines import change_line_as_previewed, preview_line
from tournaments.services.previewing.run_preview import PreviewOutdated
from tournaments.templatetags.points import day
from tournaments.views.hands.preview_correction import BACK, PREVIEWED, boundaries_in_words
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.find_players import PICK, PeopleForm, PersonField, offered
from tournaments.views.http.layout import PageRequest, link_to
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    gives,
    operation_of,
    posted,
    submit,
    text_field,
)

LINES: Final = (
    (LedgerKind.PENALTY, gettext_lazy("Penalty")),
    (LedgerKind.BONUS, gettext_lazy("Bonus")),
)


MOST_EVENINGS: Final = 60
"""Evenings that the form offers; an older one is chosen on its own page."""


class ChosenEntrantForm(PeopleForm):
    entrant = PersonField(label=gettext_lazy("Name"))

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        entrants: Iterable[tuple[str, str]] = (),
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        offered(self.fields["entrant"], tuple(entrants), nobody=_("Choose one"))

    def sentence_of(self, problem: Problem) -> str:
        if problem.code == "unknown_entrant" and not self.cleaned_data.get("entrant"):
            return _("Choose a name from the list.")
        return super().sentence_of(problem)


class AdjustmentForm(ChosenEntrantForm, ReasonForm):
    """A penalty or a bonus; `days` are the evenings for which it may be given, `chosen` the one
    that is proposed."""

    field_order = ("entrant", "meeting", "kind", "amount", "reason")
    meeting = forms.DateField(
        label=gettext_lazy("Counts"),
        help_text=gettext_lazy("Those of an evening count in its table and in the season."),
        widget=forms.Select,
    )
    kind = forms.CharField(
        label=gettext_lazy("Kind"), initial=LedgerKind.PENALTY, widget=forms.Select(choices=LINES)
    )
    amount = forms.CharField(
        label=gettext_lazy("Amount"),
        max_length=40,
        help_text=gettext_lazy("For example 2, 2.5 or 5/2. Enter penalties as positive numbers."),
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        entrants: Iterable[tuple[str, str]] = (),
        days: Sequence[date] = (),
        chosen: date | None = None,
        **more: object,
    ) -> None:
        super().__init__(data, entrants=entrants, **more)
        choices = [("", _("In the season only"))]
        for on in days:
            choices.append((on.isoformat(), _("In the evening of %(day)s") % {"day": day(on)}))
        if chosen is not None:
            choices.sort(key=lambda choice: choice[0] != chosen.isoformat())
            self.initial["meeting"] = chosen
        if days:
            self.fields["meeting"].widget.choices = choices
        else:
            self.fields["meeting"].widget = forms.HiddenInput()


UNIT_WORDS: Final = {
    "placement_points": gettext_lazy("place points"),
    "beaten_mean": gettext_lazy("share of opponents beaten per game"),
    "raw_per_hand": gettext_lazy("points per hand"),
    "raw_total": gettext_lazy("points"),
    "index_per_game": gettext_lazy("index points per game"),
    "wins": gettext_lazy("tables won"),
    "evening_points": gettext_lazy("evening points"),
    "match_points": gettext_lazy("match points"),
}
"""Primary value → the unit of its penalties and bonuses, in words."""


class WithdrawalForm(ReasonForm):
    field_order = ("reason", "together")
    together = forms.BooleanField(
        label=gettext_lazy("Withdraw all values that were added together with it")
    )


TOTAL_WORDS: Final = {
    "beaten_mean": gettext_lazy("total share of opponents beaten"),
    "raw_per_hand": gettext_lazy("points"),
    "index_per_game": gettext_lazy("total index points"),
}
"""Primary value → the unit of its totals from before, where its own is a mean."""


@event_page("read_public")
def adjustments_page(request: PageRequest, event: Event) -> HttpResponse:
    """List the lines; `?evening=` of the address is the evening that a new one is given for."""
    form = None
    if may_do(event, "penalize"):
        form = _adjustment_form(event, evening=request.GET.get("evening", ""))
    return _form_page(request, event, form)


@event_form_page((add_line, AdjustmentForm))
def new_adjustment(request: PageRequest, event: Event) -> HttpResponse:
    """Preview a line, then add it; from the page of an evening it leads back there."""
    evening = request.GET.get("evening", "")
    form = _adjustment_form(event, posted(request), evening=evening)
    if form.is_valid() and request.POST.get("go") != BACK:
        change = partial(_add_line, request, event, form)
        with form.placing():
            preview = _LinePreview(change, form.cleaned_data["meeting"])
            line = _preview_or_change(request, event, form, preview)
            if isinstance(line, HttpResponse):
                return line
            notice = _("Entry %(number)s saved. The standings will be updated.") % vars(line)
            if line.meeting is not None and evening:
                return done(request, notice, "evening", event, day=line.meeting.date.isoformat())
            return done(request, notice, "adjustments", event)
    return _form_page(request, event, form)


@event_form_page((withdraw_line, ReasonForm))
def withdraw(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Preview the withdrawal of a line, then withdraw it."""
    line = get_line(event, number)
    row = next(row for row in _rows(event) if row["number"] == line.number)
    form = ReasonForm(posted(request))
    if form.is_valid() and request.POST.get("go") != BACK:
        change = partial(_withdraw_line, request, event, number, form)
        with form.placing():
            withdrawn = _preview_or_change(
                request, event, form, _LinePreview(change, row["meeting"], row)
            )
            if isinstance(withdrawn, HttpResponse):
                return withdrawn
            notice = _("Entry %(number)s withdrawn. The standings will be updated.")
            return done(request, notice % vars(withdrawn), "adjustments", event)
    crumbs = (link_to(_("Penalties and bonuses"), "adjustments", event),)
    context = {"line": row, "unit": _unit_of(event, row["meeting"]), "form": form}
    page = "events/withdraw_adjustment.html"
    return render_event(request, page, event, context, form, crumbs=crumbs)


def _add_line(request: PageRequest, event: Event, form: AdjustmentForm) -> LedgerLine:
    fields = form.cleaned_data
    return add_line(
        operation_of(request),
        event,
        entrant=fields["entrant"],
        kind=fields["kind"],
        amount=fields["amount"],
        reason=fields["reason"],
        meeting=fields["meeting"],
    )


def _withdraw_line(request: PageRequest, event: Event, number: int, form: ReasonForm) -> LedgerLine:
    line = get_line(event, number)
    return withdraw_line(operation_of(request), line, reason=form.cleaned_data["reason"])


@dataclass(frozen=True, slots=True)
class _LinePreview:
    """A change of the lines of an event, of the evening on `day` or of the season.

    `withdrawn` is the row of the line that is withdrawn; None of one that is added.
    """

    change: Callable[[], LedgerLine]
    day: date | None
    withdrawn: Mapping[str, Any] | None = None


def _preview_or_change(
    request: PageRequest, event: Event, form: ReasonForm, line: _LinePreview
) -> LedgerLine | HttpResponse:
    """Return the page that previews a change, or its line once the preview was confirmed."""
    digest = request.POST.get(PREVIEWED, "")
    is_outdated = False
    if digest:
        try:
            return change_line_as_previewed(
                event, line.change, day=line.day, digest=digest, now=timezone.now()
            )
        except PreviewOutdated as outdated:
            preview = outdated.preview
            is_outdated = True
    else:
        preview = preview_line(event, line.change, day=line.day, now=timezone.now())
    row = line.withdrawn
    if row is None:
        row = _row_of_form(event, form.cleaned_data)
    context = {
        "line": row,
        "is_withdrawal": line.withdrawn is not None,
        "reason": form.cleaned_data["reason"],
        "unit": _unit_of(event, line.day),
        "preview": preview,
        "effect": boundaries_in_words(preview),
        "fields": [(name, form.data[name]) for name in (*form.fields, PICK) if name in form.data],
        "is_outdated": is_outdated,
        "action": request.get_full_path(),
    }
    crumbs = (link_to(_("Penalties and bonuses"), "adjustments", event),)
    status = 409 if is_outdated else 200
    page = "events/preview_adjustment.html"
    return render_event(request, page, event, context, crumbs=crumbs, status=status)


def _row_of_form(event: Event, fields: Mapping[str, Any]) -> JsonDict:
    """Return a line that was tried as `ledger_rows` has it."""
    names = {row.entrant_id: row.label for row in entrant_rows(event)}
    amount = amount_of(fields["amount"])
    if (fields["kind"] == LedgerKind.PENALTY) != penalties_add(event).on(fields["meeting"]):
        amount = -amount
    return {
        "kind": fields["kind"],
        "name": names.get(fields["entrant"], fields["entrant"]),
        "value": exact_json(amount),
        "meeting": fields["meeting"],
        "reason": fields["reason"],
    }


def _count(label: Any) -> forms.IntegerField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    hint = gettext_lazy("Empty if unknown.")
    return forms.IntegerField(label=label, help_text=hint, widget=widget)


class OpeningValueForm(ChosenEntrantForm, ReasonForm):
    field_order = ("entrant", "date", "value", "games", "wins", "hands", "penalty", "reason")
    required_fields = ("date",)
    date = forms.DateField(
        label=gettext_lazy("Date"),
        help_text=gettext_lazy("The day it counts as played on."),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    value = text_field(gettext_lazy("Total so far"), gettext_lazy("For example 13, 7.5 or 5/2."))
    games = _count(gettext_lazy("Games"))
    wins = _count(gettext_lazy("Tables won"))
    hands = _count(gettext_lazy("Hands"))
    penalty = text_field(
        gettext_lazy("Penalties"),
        gettext_lazy("A positive number, or empty. The total does not contain them."),
    )

    def place(self, problems: Iterable[Problem]) -> None:
        super().place(
            replace(problem, at=problem.at[2:]) if problem.at[:1] == ("values",) else problem
            for problem in problems
        )

    @gives("values", "reason")
    def get_arguments(self) -> JsonDict:
        reason = self.cleaned_data["reason"]
        figures = {name: self.cleaned_data[name] for name in self.fields if name != "reason"}
        return {"values": [NewOpeningValue(**figures)], "reason": reason}


@event_page("read_public")
def opening_values_page(request: PageRequest, event: Event) -> HttpResponse:
    form = _values_form(event) if may_do(event, "penalize") else None
    return _values_page(request, event, form)


@event_form_page((add_opening_values, OpeningValueForm))
def new_opening_value(request: PageRequest, event: Event) -> HttpResponse:
    form = _values_form(event, posted(request))
    if submit(request, form, add_opening_values, event) is not None:
        notice = _("Value saved. The standings will be updated.")
        return done(request, notice, "opening-values", event)
    return _values_page(request, event, form)


@event_form_page((withdraw_opening_value, WithdrawalForm))
def withdraw_value(request: PageRequest, event: Event, number: int) -> HttpResponse:
    value = get_opening_value(event, number)
    form = WithdrawalForm(posted(request))
    if submit(request, form, withdraw_opening_value, value) is not None:
        notice = _("Value %(number)s withdrawn. The standings will be updated.") % vars(value)
        return done(request, notice, "opening-values", event)
    crumbs = (link_to(_("Values from before"), "opening-values", event),)
    added = [row for row in opening_rows(event) if row["first"] == value.first]
    line = next(row for row in added if row["number"] == number)
    n_together = sum(row["state"] == "active" for row in added)
    context = {"line": line, "n_together": n_together, "unit": _total_unit(event), "form": form}
    page = "events/withdraw_opening_value.html"
    return render_event(request, page, event, context, form, crumbs=crumbs)


def _values_page(
    request: PageRequest, event: Event, form: ChosenEntrantForm | None
) -> HttpResponse:
    impossible = [sentence(problem) for problem in possible_problems(settings_of(event))]
    context = {"lines": opening_rows(event), "unit": _total_unit(event), "form": form}
    context["impossible"] = "".join(impossible)
    return render_event(request, "events/opening_values.html", event, context, form)


def _total_unit(event: Event) -> str:
    return str(TOTAL_WORDS.get(settings_of(event).primary, _unit(event)))


def _adjustment_form(
    event: Event, data: QueryDict | None = None, *, evening: str = ""
) -> AdjustmentForm:
    """Return the form, with the evening of the page it was opened from, or the one that is on."""
    entrants = [(row.entrant_id, row.label) for row in entrant_rows(event)]
    if event.is_ladder:
        return AdjustmentForm(data, entrants=entrants)
    now = timezone.now()
    until = club_day(event.club, now)
    days = list(list_evening_days(event, until=until, at_most=MOST_EVENINGS))
    running = find_evening_on(event, now)
    chosen = running.date if running is not None else None
    if evening:
        chosen = meeting_on(event, date_of(evening)).date
        if chosen not in days:
            days.append(chosen)
    return AdjustmentForm(data, entrants=entrants, days=days, chosen=chosen)


def _values_form(event: Event, data: QueryDict | None = None) -> OpeningValueForm:
    entrants = [(row.entrant_id, row.label) for row in entrant_rows(event)]
    return OpeningValueForm(data, entrants=entrants)


def _form_page(request: PageRequest, event: Event, form: ChosenEntrantForm | None) -> HttpResponse:
    context = {
        "lines": _rows(event),
        "unit": _unit(event),
        "evening_unit": _evening_unit(event),
        "form": form,
    }
    context["evening"] = request.GET.get("evening", "")
    return render_event(request, "events/adjustments.html", event, context, form)


def _rows(event: Event) -> Sequence[JsonDict]:
    return ledger_rows(event, penalties_add=penalties_add(event))


def _unit(event: Event) -> str:
    primary = settings_of(event).primary
    return str(UNIT_WORDS.get(primary, primary))


def _unit_of(event: Event, day: date | None) -> str:
    """Return the unit of a penalty of the evening of a day, or of the season."""
    if day is None:
        return _unit(event)
    return _evening_unit(event) or _unit(event)


def _evening_unit(event: Event) -> str:
    """Return the unit of penalties of evenings where it is another one; else ""."""
    settings = settings_of(event)
    if not settings.counts_evenings:
        return ""
    return str(UNIT_WORDS.get(settings.evening_ranking, settings.evening_ranking))


EACH: Final = "each"
SO_FAR: Final = "so_far"
EVENINGS: Final = (
    ("", gettext_lazy("Choose one")),
    (EACH, gettext_lazy("the points of that evening")),
    (SO_FAR, gettext_lazy("the points so far")),
)


class SeasonListForm(ReasonForm):
    field_order = ("text", "until", "evenings", "take_likely", "add_missing", "beside", "reason")
    required_fields = ("text",)
    text = forms.CharField(
        label=gettext_lazy("The season so far"),
        strip=False,
        help_text=gettext_lazy(
            "One row per player, with a column for the name, and one per evening (its head is the "
            "date) or one for the total. Copy it with its heads from your spreadsheet."
        ),
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
    )
    until = forms.DateField(
        label=gettext_lazy("Date of totals"),
        help_text=gettext_lazy("The day they count as played on, if there is only a total."),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    evenings = forms.CharField(
        label=gettext_lazy("The column of an evening has"), widget=forms.Select(choices=EVENINGS)
    )
    take_likely = forms.BooleanField(
        label=gettext_lazy("Yes: the short names are these players"),
        help_text=gettext_lazy("The names are kept: lists with them are read so from now on."),
    )
    add_missing = forms.BooleanField(label=gettext_lazy("Add the players who are not in the club"))
    beside = forms.BooleanField(label=gettext_lazy("Count beside earlier values"))
    season: Sequence[SeasonRow] | None = None
    asks_evenings = False

    def place(self, problems: Iterable[Problem]) -> None:
        """Show each sentence once: a list repeats the same problem for many of its people."""
        by_sentence = {self.sentence_of(problem): problem for problem in problems}
        super().place(by_sentence.values())

    def read_evenings(self, season: Sequence[SeasonRow]) -> Sequence[SeasonRow]:
        """Return the points of each evening; ask where the numbers do not tell what they are."""
        self.asks_evenings = may_be_so_far(season)
        if not self.asks_evenings:
            return season
        chosen = self.cleaned_data.get("evenings", "") if self.is_bound else ""
        if chosen == SO_FAR:
            return points_of_evenings(season)
        if self.is_bound and chosen != EACH:
            self.add_error("evenings", _("Choose what the column of an evening has."))
        return season

    @gives("season", "add_missing", "take_likely", "beside", "reason")
    def get_arguments(self) -> JsonDict:
        cleaned = self.cleaned_data
        return {
            "season": self.season,
            "add_missing": cleaned["add_missing"],
            "take_likely": cleaned["take_likely"],
            "beside": cleaned["beside"],
            "reason": cleaned["reason"],
        }


@event_form_page((add_season, SeasonListForm))
def season_so_far(request: PageRequest, event: Event) -> HttpResponse:
    form = SeasonListForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        content = form.cleaned_data["text"].encode()
        form.season = _read(form, event, content)
        if form.season is not None and "add" not in request.POST:
            form.place(season_problems(event, form.season))
        if form.season is not None and "add" in request.POST:
            added = submit(request, form, add_season, event)
            if added is not None:
                notice = ngettext("%(n)s value added.", "%(n)s values added.", added["added"])
                return done(request, notice % {"n": added["added"]}, "opening-values", event)
    return show_season(request, event, form)


def _read(form: SeasonListForm, event: Event, content: bytes) -> Sequence[SeasonRow] | None:
    try:
        until = form.cleaned_data.get("until")
        season = season_of(event, content, now=timezone.now(), until=until)[0]
    except Unreadable as fault:
        form.add_error("text", str(fault))
        return None
    return form.read_evenings(season)


def show_season(
    request: PageRequest, event: Event, form: SeasonListForm, also: JsonDict | None = None
) -> HttpResponse:
    season = form.season or ()
    days = sorted({each.day for row in season for each in row.values})
    if not form.asks_evenings:
        form.fields["evenings"].widget = forms.HiddenInput()
    likely = likely_members(season)
    n_unknown = sum(row.member is None and row.line not in likely for row in season)
    if not likely:
        form.fields["take_likely"].widget = forms.HiddenInput()
    if not n_unknown:
        form.fields["add_missing"].widget = forms.HiddenInput()
    has_totals = any(not each.is_evening for row in season for each in row.values)
    if not (has_totals and has_opening_values(event)):
        form.fields["beside"].widget = forms.HiddenInput()
    settings = settings_of(event)
    needs = number_needed(settings)
    values = [each for row in season for each in row.values]
    lines: list[tuple[SeasonRow, list[str], str]] = []
    for row in season:
        by_day = {each.day: each.value for each in row.values}
        lines.append((row, [by_day.get(on, "") for on in days], _difference(row)))
    needs_games = settings.min_games > 1 or settings.min_third
    refusal = next(possible_problems(settings), None)
    context = {
        **(also or {}),
        "impossible": "" if refusal is None else sentence(refusal),
        "form": form,
        "season": season,
        "n_unknown": n_unknown,
        "days": days,
        "played_days": list_played_days(event, days),
        "lines": lines,
        "likely": likely,
        "n_values": len(values),
        "needs": needs,
        "has_evenings": any(each.is_evening for each in values),
        "lacks_games": needs_games
        and any(not each.is_evening and not each.counts.get("games") for each in values),
    }
    crumbs = (link_to(_("Values from before"), "opening-values", event),)
    return render_event(request, "events/season_so_far.html", event, context, form, crumbs=crumbs)


def _difference(row: SeasonRow) -> str:
    """Return the sum of the values where the written total is another one."""
    try:
        total = sum((amount_of(each.value) for each in row.values), Fraction())
        if not row.total or amount_of(row.total) == total:
            return ""
        return f"{float(total):g}"
    except ValueError:
        return ""
