"""The sheets of a finished evening: names and hands of one sheet on a page, then the next one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.imported_sheets import SentHand
from tournaments.domain.repeated_hands import HandLine, repeated_hands
from tournaments.domain.replay_game import HandRefused, of_a_hand, replay, teams_of
from tournaments.errors import refuse_any
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, Seat
from tournaments.selectors.clubs.clubs import list_players_of, may_do
from tournaments.selectors.clubs.find_players import label_of
from tournaments.selectors.events.entrants import (
    competitors_at,
    entered_players,
    has_earlier_evening,
    ranks_guests_apart,
)
from tournaments.selectors.events.meetings import club_day, day_to_play
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.double_entry import repeated_sheets
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.selectors.rounds.resolve_players import players_named
from tournaments.selectors.rounds.table_sheets import rounds_on, sheet_stack
from tournaments.selectors.rules.rule_sets import offered_in, rules_of, sides_of
from tournaments.services.db.bulk import next_number
from tournaments.services.db.transactions import undoable
from tournaments.services.imports.paper_sheets import SheetRefused, enter_paper_sheet
from tournaments.templatetags.tables import round_of, title_of_round
from tournaments.views.hands.change_players import SeatingForm
from tournaments.views.hands.grid import (
    ANYWAY,
    ASKED,
    CANCEL,
    apply_row_button,
    change_way,
    more_rows,
)
from tournaments.views.hands.grid_cells import entry_in, grammar_of, read_row
from tournaments.views.hands.grid_rows import (
    GridDraft,
    RowOutcome,
    posted_rows,
    repeated_row,
    unread_cells,
)
from tournaments.views.hands.grid_screen import WAY, GridScreen
from tournaments.views.hands.hand_form_fields import number_in, sheet_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.find_players import posted_at_table
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_event
from tournaments.views.http.service_form import day_field, gives, submit
from tournaments.views.rules.variant_options import grouped_games, selected_game

USUAL_SEATS: Final = 4


def _day(event: Event, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        today = club_day(event.club, timezone.now())
        return min(day_to_play(event, timezone.now()) or today, today)


class PaperForm(SeatingForm):
    """The evening of a sheet, its game and its players.

    `at` is its round among those of the evening, from 1; after the last one comes a new round.
    `cancelled` is a cancelled evening of which somebody said that the sheet was played then.
    """

    required_fields = ("date", "at")
    sentences: ClassVar = {
        "player_already_seated": _(
            "%(player)s already sits at table %(table)s of round %(round)s."
        ),
        "evening_cancelled": _(
            "The evening of %(found)s is cancelled. Was the sheet played all the same?"
        ),
    }
    date = day_field(
        _("Date"), **dict.fromkeys(("required", "invalid"), _("Enter the date as 2026-11-20."))
    )
    variant = forms.CharField(label=_("Game"), widget=forms.Select)
    n = forms.CharField(label=_("Players"), widget=forms.Select)
    at = forms.IntegerField(label=_("Round"), widget=forms.Select)
    cancelled = forms.DateField(widget=forms.HiddenInput)

    def __init__(self, event: Event, sent: QueryDict, *, is_posted: bool) -> None:
        self.event, offered, snapshot = event, offered_in(event), default_snapshot(event)
        variant = sent.get("variant", "")
        chosen = selected_game(variant, offered).rules if variant != event.variant else None
        self.rules = chosen or rules_of(snapshot)
        least, most = self.rules.keys.players
        self.seats = min(max(number_in(sent.get("n", "")) or USUAL_SEATS, least), most)
        super().__init__(sent if is_posted else None, seats=self.seats)
        self.sent, self.day = sent, _day(event, sent.get("date", ""))
        self.evening = rounds_on(event, self.day)
        self.rounds = {
            at: title_of_round(round_.number, event)
            for at, round_ in enumerate(self.evening, start=1)
        }
        number = next_number(Round.objects.filter(event=event))
        self.rounds[len(self.rounds) + 1] = gettext("New round %(number)s") % {"number": number}
        at = number_in(sent.get("at", "")) or len(self.evening) or 1
        self.initial = {"date": self.day, "variant": variant, "n": self.seats, "at": at}
        self.fields["date"].widget.attrs["autofocus"] = not sent.get("date")
        games = [("", snapshot.variant_name), *grouped_games(offered)]
        seats = [(n, n) for n in range(least, most + 1)]
        for name, listed in (("variant", games), ("n", seats), ("at", self.rounds.items())):
            self.fields[name].widget.choices = listed

    @property
    def names(self) -> list[str]:
        return [str(self[name].value() or "").strip() for name in self._seats]

    @property
    def query(self) -> dict[str, str]:
        """What the page of the next sheet is told."""
        return {name: str(self[name].value() or "") for name in self.initial}

    @property
    def cancelled_day(self) -> str:
        """The day that the form asks about, as its evening is cancelled; else empty."""
        days = [str(row.facts["found"]) for row in self.placed if row.code == "evening_cancelled"]
        return days[0] if days else ""

    @gives("day", "place", "variant", "players", "on_cancelled")
    def get_arguments(self) -> Mapping[str, object]:
        data = self.cleaned_data
        seats = enumerate(self.names, start=1)
        empty = [seat for seat, name in seats if not name]
        refuse_any(Problem("seat_is_empty", ("seat", n), {"seat": n}) for n in empty)
        players = players_named(club=self.event.club, typed=self.names)
        about = {"day": data["date"], "place": data["at"], "variant": data["variant"]}
        about["on_cancelled"] = data["cancelled"] == data["date"]
        return {**about, "players": players}


class PaperScreen(GridScreen):
    """The grid of a sheet whose table is made with it: its rows, and what becomes of them."""

    def __init__(self, request: PageRequest, form: PaperForm) -> None:
        self.event, self.code, self.rules, self.hands = form.event, "", form.rules, {}
        self.game = Game()
        self.request, self.form, self.of = request, form, settings_of(form.event).hands
        self.players = [name.partition(" (")[0] for name in form.names]
        sides = sides_of(self.rules, form.seats)
        seats = [Seat(number=seat, side=side) for seat, side in enumerate(sides, start=1)]
        self.teams = teams_of(seats, self.rules)
        self.sheet = sheet_of(self.rules, form.seats, self.teams)
        self.grammar, self.outcomes = grammar_of(self.sheet), dict[int, RowOutcome]()
        self.worth = self._face_values()
        self.rows = list(
            posted_rows(self.sheet, {name: str(text) for name, text in form.sent.items()})
        )
        self.rows = self.rows or self.drafts(request.GET.get(WAY, "points"))
        self.others: Sequence[Mapping[str, object]] = ()

    @property
    def way(self) -> str:
        return self.way_of_new(self.request, self.rows)

    def name_at(self, number: int) -> str:
        return self.players[number - 1] or gettext("Seat %(number)s") % {"number": number}

    def save(self, *, asks: bool) -> bool:
        """Enter the sheet, unless it is refused or has to be asked about."""
        typed = [draft for draft in self.rows if not draft.texts.is_empty]
        for draft in typed:
            if wrong := read_row(self.grammar, draft.way, draft.texts)[1]:
                outcome = unread_cells(self.grammar, self.names, draft, wrong)
                self.outcomes[draft.number] = outcome
        if not typed:
            self.form.add_error(None, gettext("Enter the hands of the sheet."))
        if self.outcomes or not typed:
            return False
        entries = {draft.number: entry_in(self.grammar, draft.way, draft.texts) for draft in typed}
        if repeated := self._repeated(entries):
            self.outcomes = repeated
            return False
        hands = [
            SentHand(d.number, entries[d.number], board=self.board_in(d), disputed=d.disputed)
            for d in typed
        ]
        entered_before = entered_players(self.event)
        try:
            with undoable() as undo:
                entered = submit(
                    self.request, self.form, enter_paper_sheet, self.event, hands=hands
                )
                if entered is None:
                    self._check({draft.number: draft for draft in typed}, entries)
                    return False
                code, is_new = entered
                game = get_game(self.event, code)
                others = repeated_sheets(game, entries) if asks and is_new else ()
                self.others = [other for other in others if not other["same_table"]]
                if self.others:
                    undo()
        except SheetRefused as refused:
            self._place(refused.args, typed)
            return False
        if not self.others:
            self._notify(game, is_new=is_new)
            self._name_newcomers(game, entered_before)
        return not self.others

    def leave_out(self, number: str) -> None:
        self.rows = [
            self.empty_draft(draft.number, draft.way) if str(draft.number) == number else draft
            for draft in self.rows
        ]

    def _repeated(self, entries: Mapping[int, JsonDict]) -> dict[int, RowOutcome]:
        """Return the question about each hand that is the same as the one before it."""
        may_repeat = {draft.number for draft in self.rows if draft.may_repeat}
        boards = {draft.number: self.board_in(draft) for draft in self.rows}
        lines = [
            HandLine(number, entry, people=None, board=boards.get(number))
            for number, entry in entries.items()
        ]
        outcomes = {}
        for number, other in repeated_hands(lines).items():
            if number not in may_repeat:
                facts = {"hand": number, "other": other}
                problem = Problem("hand_repeated", ("entry",), facts)
                outcomes[number] = repeated_row(number, problem)
        return outcomes

    def _notify(self, game: Game, *, is_new: bool) -> None:
        notice = gettext("Round %(round)s, table %(table)s is saved.")
        if not is_new:
            notice = gettext("Round %(round)s, table %(table)s has these hands already.")
        facts = {
            "table": game.table.number,
            "round": round_of(game.table.round.number, self.event),
        }
        messages.success(self.request, notice % facts)
        for sheet in sheet_stack(self.event, game.table.round):
            if sheet.gap and sheet.code == game.table.code:
                messages.warning(self.request, sheet.gap)

    def _name_newcomers(self, game: Game, entered_before: Collection[int]) -> None:
        """Say of whom the sheet made a competitor, where somebody new may be meant as a guest.

        On the first evening everybody is new.
        """
        event = self.event
        if not (ranks_guests_apart(event) and has_earlier_evening(event, self.form.day)):
            return
        notice = gettext(
            "%(who)s is new in this event and competes in the season. To make a guest of them, "
            "follow “Players”."
        )
        for player in competitors_at(game):
            if player.pk not in entered_before:
                messages.warning(self.request, notice % {"who": label_of(player)})

    def _check(self, drafts: Mapping[int, GridDraft], entries: Mapping[int, JsonDict]) -> None:
        """Show the hands that are impossible whoever the players are."""
        settings = settings_of(self.event)
        left = dict(sorted(entries.items()))
        for _draft in drafts:
            try:
                replay(
                    self.rules,
                    self.form.seats,
                    [*left.items()],
                    teams=self.teams,
                    chips=settings.start_totals,
                    open_ended=settings.is_open_ended,
                    new={number: of_a_hand() for number in left},
                )
            except HandRefused as refused:
                draft = drafts[refused.number]
                self.outcomes[draft.number] = self._refused(draft, *refused.problems)
                del left[draft.number]

    def _place(self, problems: Iterable[Problem], typed: Sequence[GridDraft]) -> None:
        """Show each problem at its hand, at its seat, or above the sheet."""
        by_hand: dict[int, list[Problem]] = {}
        for problem in problems:
            match problem.at:
                case ("hands", int(place), *rest):
                    at = tuple(rest[rest[:1] == ["entry"] :])
                    by_hand.setdefault(place, []).append(replace(problem, at=at))
                case ("players", int(place)):
                    self.form.place([replace(problem, at=("seat", place + 1))])
                case _:
                    self.form.place([problem])
        for place, of_hand in by_hand.items():
            self.outcomes[typed[place].number] = self._refused(typed[place], *of_hand)

    def shown(self) -> HttpResponse:
        form, event = self.form, self.event
        is_seated = any(problem.code == "player_already_seated" for problem in form.placed)
        at = (number_in(str(form["at"].value())) or 1) + 1
        ways = {draft.way for draft in self.rows}
        context = {
            **self.grid_page(self.request, self.rows, self.outcomes),
            "screen": self,
            "form": form,
            "evening": [(row, sheet_stack(event, row)) for row in form.evening],
            "people": map(label_of, list_players_of(event.club).filter(is_active=True)),
            "may_add_guest": may_do(event, "add_guest"),
            "ways": tuple(way for way in self.ways if way not in ways),
            "next_round": (at, form.rounds[at]) if is_seated and at in form.rounds else None,
            "asks_evening": any(map(form.has_error, form.query))
            or not (form.is_bound or "date" in self.request.GET),
            "repeated": self.others,
        }
        status = None
        if self.others:
            status = ASKED
        elif self.outcomes:
            status = REFUSED
        return render_event(
            self.request,
            "hands/paper_sheets.html",
            event,
            context,
            form,
            crumbs=(layout.evenings_link(event),),
            status=status,
        )


@event_form_page((enter_paper_sheet, PaperForm, "hands"))
def paper_sheets(request: PageRequest, event: Event) -> HttpResponse:
    data = posted_at_table(request, event)
    sent = (data or request.GET).copy()
    button, _colon, value = request.POST.get("go", "").partition(":")
    if button == "round":
        sent["at"] = value
    screen = PaperScreen(request, PaperForm(event, sent, is_posted=bool(data)))
    if button == "more":
        screen.rows += more_rows(screen, screen.rows, screen.way)
    elif button == "way":
        change_way(screen, screen.rows, value)
    elif button == "row":
        apply_row_button(screen, screen.rows, value)
    elif button == "theirs":
        screen.leave_out(value)
    is_sent = bool(data) and button not in ("more", "way", "look", "theirs", CANCEL)
    if not (is_sent and screen.save(asks=button != ANYWAY)):
        return screen.shown()
    query = urlencode({**screen.form.query, WAY: screen.way})
    return redirect(f"{layout.link_to('', 'paper-sheets', event).url}?{query}")
