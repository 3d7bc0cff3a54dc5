"""The sheets of a finished evening: names and hands of one sheet on a page, then the next one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem, Refused
from scoring.numbers import ScoreJson
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.imported_sheets import SentHand
from tournaments.domain.replay_game import teams_of
from tournaments.errors import refuse_any
from tournaments.models.events import Event
from tournaments.models.meetings import Round, Seat
from tournaments.selectors.clubs.clubs import list_players_of, may_do
from tournaments.selectors.clubs.find_players import label_of
from tournaments.selectors.events.meetings import day_to_play
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.selectors.rounds.resolve_players import players_named
from tournaments.selectors.rounds.table_sheets import rounds_on, sheet_stack
from tournaments.selectors.rules.rule_sets import offered_in, sides_of
from tournaments.services.db.bulk import next_number
from tournaments.services.imports.paper_sheets import SheetRefused, enter_paper_sheet
from tournaments.services.imports.targets import RuleBook
from tournaments.views.hands.entry_screen import SeatingForm
from tournaments.views.hands.grid import ANYWAY, ASKED, CANCEL
from tournaments.views.hands.grid_actions import apply_row_button, change_way, more_rows
from tournaments.views.hands.grid_cells import grammar_of
from tournaments.views.hands.grid_messages import refused_cells, repeated_sheets, unread_cells
from tournaments.views.hands.grid_rows import (
    GridDraft,
    RowOutcome,
    entry_in,
    posted_rows,
    read_row,
)
from tournaments.views.hands.grid_screen import WAY, GridScreen
from tournaments.views.hands.hand_form_fields import number_in, sheet_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.find_players import posted_with_answer
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import render_event
from tournaments.views.http.service_form import submit
from tournaments.views.rules.variant_options import grouped_games

USUAL_SEATS: Final = 4


class PaperForm(SeatingForm):
    """The evening of a sheet, its game and its players.

    `at` is its round among those of the evening, from 1; after the last one comes a new round.
    """

    required_fields = ("date", "at")
    date = forms.DateField(
        label=_("Date"),
        error_messages=dict.fromkeys(("required", "invalid"), _("Enter the date as 2026-11-20.")),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    variant = forms.CharField(label=_("Game"), widget=forms.Select)
    n = forms.CharField(label=_("Players"), widget=forms.Select)
    at = forms.IntegerField(label=_("Round"), widget=forms.Select)

    def __init__(self, data: QueryDict | None, *, event: Event, sent: QueryDict) -> None:
        self.event, offered = event, offered_in(event)
        book = RuleBook(event.variant, event.options, offered=offered)
        try:
            self.rules: Rules = book(sent.get("variant", "")).rules
        except Refused:
            self.rules = book("").rules
        least, most = self.rules.keys.players
        self.seats = min(max(number_in(sent.get("n", "")) or USUAL_SEATS, least), most)
        super().__init__(data, seats=self.seats)
        self.day = self._day(sent)
        self.evening = rounds_on(event, self.day)
        last = number_in(sent.get("at", "")) or len(self.evening)
        self.initial |= {
            "date": self.day,
            "variant": sent.get("variant", ""),
            "n": self.seats,
            "at": max(last, 1),
        }
        numbers = [(n, str(n)) for n in range(least, most + 1)]
        choices = {"variant": [("", book("").rules.name), *grouped_games(offered)], "n": numbers}
        choices["at"] = [(at, self.round_text(at)) for at in range(1, len(self.evening) + 2)]
        self.fields["date"].widget.attrs["autofocus"] = not sent.get("date")
        for name, listed in choices.items():
            self.fields[name].widget.choices = listed

    def _day(self, sent: QueryDict) -> date:
        now = timezone.now()
        try:
            return date.fromisoformat(sent.get("date", ""))
        except ValueError:
            today = now.astimezone(ZoneInfo(self.event.club.time_zone)).date()
            return min(day_to_play(self.event, now) or today, today)

    def round_text(self, at: int) -> str:
        if at <= len(self.evening):
            return gettext("Round %(number)s") % {"number": self.evening[at - 1].number}
        number = next_number(Round.objects.filter(event=self.event))
        return gettext("Round %(number)s, new") % {"number": number}

    def sentence_of(self, problem: Problem) -> str:
        if problem.code == "player_already_seated":
            text = gettext("%(player)s already sits at table %(table)s of round %(round)s.")
            return text % problem.facts
        return super().sentence_of(problem)

    @property
    def names(self) -> list[str]:
        return [str(self[name].value() or "").strip() for name in self._seats]

    @property
    def query(self) -> dict[str, object]:
        """What the page of the next sheet is told."""
        return {name: self[name].value() or "" for name in ("date", "variant", "n", "at")}

    @property
    def arguments(self) -> Mapping[str, object]:
        data, at = self.cleaned_data, enumerate(self.names, start=1)
        empty = [seat for seat, name in at if not name]
        refuse_any(Problem("seat_is_empty", ("seat", n), {"seat": n}) for n in empty)
        players = players_named(club=self.event.club, typed=self.names)
        about = {"day": data["date"], "place": data["at"], "variant": data["variant"]}
        return {**about, "players": players}

    def refuse(self, problems: Iterable[Problem]) -> dict[int, list[Problem]]:
        """Show what is wrong with a sheet; return the problems of its hands, by their places."""
        of_hands: dict[int, list[Problem]] = {}
        for problem in problems:
            match problem.at:
                case ("hands", int(place), *rest):
                    at = tuple(rest[1:] if rest[:1] == ["entry"] else rest)
                    of_hands.setdefault(place, []).append(replace(problem, at=at))
                case ("players", int(place)):
                    self.place([replace(problem, at=("seat", place + 1))])
                case _:
                    self.place([problem])
        return of_hands


class PaperScreen(GridScreen):
    """The grid of a sheet whose table is made with it."""

    def __init__(self, form: PaperForm) -> None:
        self.event, self.code, self.rules, self.hands = form.event, "", form.rules, {}
        self.of = settings_of(form.event).hands
        self.players = [name.partition(" (")[0] for name in form.names]
        sides = sides_of(self.rules, form.seats)
        seats = [Seat(number=seat, side=side) for seat, side in enumerate(sides, start=1)]
        self.sheet = sheet_of(self.rules, form.seats, teams_of(seats, self.rules))
        self.grammar = grammar_of(self.sheet)
        self.worth = self._face_values()

    @property
    def is_duplicate(self) -> bool:
        return settings_of(self.event).duplicate

    @property
    def columns(self) -> list[tuple[str, str]]:
        return [(name, "") for name in self.names.values()]

    @property
    def row_totals(self) -> tuple[ScoreJson | None, ...]:
        return ()

    def name_at(self, number: int) -> str:
        return self.players[number - 1] or gettext("Seat %(number)s") % {"number": number}

    def page(self, request: PageRequest, *crumbs: Link) -> dict[str, object]:
        return {"screen": self}

    def crumbs(self) -> tuple[Link, ...]:  # type: ignore[override]  # it has no round yet
        return ()


@event_form_page(enter_paper_sheet)
def paper_sheets(request: PageRequest, event: Event) -> HttpResponse:
    data = posted_with_answer(request, event.club)
    button, _colon, value = "", "", ""
    if data is not None:
        button, _colon, value = data.get("go", "").partition(":")
        if button == "round":
            data = data.copy()
            data["at"] = value
    form = PaperForm(data, event=event, sent=request.GET if data is None else data)
    screen = PaperScreen(form)
    drafts = list(posted_rows(screen.sheet, data.dict())) if data is not None else []
    drafts = drafts or screen.drafts(request.GET.get(WAY, ""))
    if data is None or button in ("look", CANCEL):
        return _show(request, form, screen, drafts)
    if button == "more":
        drafts += more_rows(screen, drafts, screen.way_of_new(request, drafts))
    elif button == "way":
        change_way(screen, drafts, value)
    else:
        if button == "row":
            apply_row_button(screen, drafts, value)
        return _save(request, form, screen, drafts, asks=button != ANYWAY)
    return _show(request, form, screen, drafts)


def _save(
    request: PageRequest,
    form: PaperForm,
    screen: PaperScreen,
    drafts: Sequence[GridDraft],
    *,
    asks: bool,
) -> HttpResponse:
    grammar, names = screen.grammar, screen.names
    typed = [draft for draft in drafts if not draft.texts.is_empty]
    outcomes = {
        draft.number: unread_cells(grammar, names, draft, wrong)
        for draft in typed
        if (wrong := read_row(grammar, draft.way, draft.texts)[1])
    }
    if not typed:
        form.add_error(None, gettext("Enter the hands of the sheet."))
    if outcomes or not typed:
        return _show(request, form, screen, drafts, outcomes)
    entries = {draft.number: entry_in(grammar, draft.way, draft.texts) for draft in typed}
    hands = [SentHand(d.number, entries[d.number], board=screen.board_in(d)) for d in typed]
    repeated: Sequence[Mapping[str, object]] = ()
    try:
        with transaction.atomic():
            entered = submit(request, form, enter_paper_sheet, form.event, hands=hands)
            if entered is None:
                return _show(request, form, screen, drafts)
            code, is_new = entered
            game = get_game(form.event, code)
            if asks and is_new:
                others = repeated_sheets(game, entries)
                repeated = [other for other in others if not other["same_table"]]
            transaction.set_rollback(bool(repeated))
    except SheetRefused as refused:
        for place, problems in form.refuse(refused.problems).items():
            outcomes[typed[place].number] = refused_cells(grammar, names, typed[place], problems)
        return _show(request, form, screen, drafts, outcomes)
    if repeated:
        return _show(request, form, screen, drafts, repeated=repeated)
    facts = {"table": game.table.number, "round": game.table.round.number}
    if is_new:
        messages.success(request, gettext("Round %(round)s, table %(table)s is saved.") % facts)
    else:
        notice = gettext("Round %(round)s, table %(table)s has these hands already.")
        messages.info(request, notice % facts)
    query = {**form.query, WAY: screen.way_of_new(request, drafts)}
    return redirect(f"{layout.link_to('', 'paper-sheets', form.event).url}?{urlencode(query)}")


def _show(
    request: PageRequest,
    form: PaperForm,
    screen: PaperScreen,
    drafts: Sequence[GridDraft],
    outcomes: Mapping[int, RowOutcome] = MappingProxyType({}),
    *,
    repeated: Sequence[Mapping[str, object]] = (),
) -> HttpResponse:
    event, at = form.event, number_in(str(form["at"].value())) or 1
    page = screen.grid_page(request, drafts, outcomes)
    is_open_ended = settings_of(event).is_open_ended
    is_seated = any(problem.code == "player_already_seated" for problem in form.placed)
    ways = {draft.way for draft in drafts}
    context = {
        **page,
        "form": form,
        "evening": [
            (round_, sheet_stack(event, round_, is_open_ended=is_open_ended, twice=None))
            for round_ in form.evening
        ],
        "people": map(label_of, list_players_of(event.club).filter(is_active=True)),
        "may_add_guest": may_do(event, "add_guest"),
        "ways": tuple(way for way in screen.ways if way not in ways),
        "next_round": (at + 1, form.round_text(at + 1)) if is_seated else None,
        "asks_evening": any(map(form.has_error, form.query))
        or not (form.is_bound or "date" in request.GET),
        "repeated": repeated,
    }
    status = ASKED if repeated else REFUSED if outcomes else None
    crumbs = (layout.evenings_link(event),)
    return render_event(
        request, "hands/paper_sheets.html", event, context, form, crumbs=crumbs, status=status
    )
