"""The entrants of an event: the public list, and the director's forms."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Problem
from tournaments.models.events import Entrant, EntrantKind, Event, EventKind
from tournaments.models.meetings import Round, SitOutReason
from tournaments.selectors.attendance.attendance_list import here_at_newest
from tournaments.selectors.clubs.clubs import list_players_of, may_do
from tournaments.selectors.clubs.find_players import find_final_keys, label_of
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import (
    EntrantRow,
    entrant_name,
    entrant_row,
    entrant_rows,
    sit_outs_in,
)
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.resolve_players import players_named, read_entrants
from tournaments.services.events.adjustments import end_sit_out, sit_out
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.events.entrants import add_entrants as enter
from tournaments.services.ladders.members import move_entrant
from tournaments.views.events.adjustments import ChosenEntrantForm
from tournaments.views.events.settings_fields import text_field
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, event_form_page, event_page
from tournaments.views.http.find_players import NamedPlayersForm, is_sent_by, posted_with_answer
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import done, go_to, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    ServiceForm,
    attempt,
    posted,
    submit,
)


class AddEntrantsForm(ServiceForm):
    players = forms.MultipleChoiceField(
        label=gettext_lazy("Players of the club"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    names = forms.CharField(
        label=gettext_lazy("Names"),
        required=False,
        help_text=gettext_lazy(
            "One entrant a line: a player by name or number, a pair as “Ada & Ben”, a team as "
            "“Spades: Ada, Ben, Cy, Dee”."
        ),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    def __init__(self, data: object = None, *, offered: Iterable[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["players"].choices = list(offered)  # type: ignore[attr-defined]

    def typed(self) -> Iterator[str]:
        yield from self.cleaned_data["players"]
        yield from filter(None, (line.strip() for line in self.cleaned_data["names"].splitlines()))

    def ask_about(self, unknown: Iterable[Problem]) -> None:
        text = _("Not on the club's list of players: %(names)s.")
        self.add_error("names", text % {"names": self.names_in(unknown)})

    def names_in(self, unknown: Iterable[Problem]) -> str:
        names = []
        for problem in unknown:
            name = str(problem.facts["found"])
            near = " / ".join(str(player.facts["name"]) for player in problem.suggestions)
            names.append(f"{name} ({near}?)" if near else name)
        return " · ".join(names)

    def sentence_of(self, problem: Problem) -> str:
        if problem.code == "nobody_of_that_name":  # without a comma, `ask_about` asks
            text = _(
                "“%(found)s” has a comma and is not on the club's list of players. Add the player "
                "first, or enter the name without a comma."
            )
            return text % problem.facts
        if problem.code == "members_count":
            return _("Choose players, or enter a name.")
        return super().sentence_of(problem)


FIELDS: Final = {EntrantKind.PLAYER: 1, EntrantKind.PAIR: 2, EntrantKind.TEAM: 8}
"""Kind → fields for its players, as long as no more are needed."""


MOST: Final = 20


SIT_OUTS: Final = (
    (SitOutReason.BYE, gettext_lazy("bye: no seat left at a table")),
    (SitOutReason.LATE, gettext_lazy("arrived late")),
    (SitOutReason.LEFT, gettext_lazy("left")),
    (SitOutReason.REST, gettext_lazy("rests")),
)


class SitOutForm(ChosenEntrantForm):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        initial=SitOutReason.BYE,
        widget=forms.Select(choices=SIT_OUTS),
    )


class EntrantForm(NamedPlayersForm):
    """A pair, a team or a player: one field for each of its players, `seat-1` on."""

    name = text_field(
        gettext_lazy("Name"), gettext_lazy("If empty, the names of the players are used.")
    )
    code = text_field(
        gettext_lazy("Code"),
        gettext_lazy("Short code for lists. If empty, the next number is used."),
        autocapitalize="none",
        spellcheck="false",
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        kind: str,
        names: Sequence[str] = (),
        name: str | None = None,
    ) -> None:
        initial = {f"seat-{number}": label for number, label in enumerate(names, start=1)}
        super().__init__(data, initial={**initial, "name": name or ""})
        least = FIELDS.get(EntrantKind(kind) if kind in EntrantKind.values else kind, 2)  # type: ignore[call-overload]
        filled = [n for n in range(1, MOST + 1) if data and data.get(f"seat-{n}")]
        more = 2 if kind == EntrantKind.TEAM else 0
        seats = min(MOST, max(least, len(names) + more, *filled, 0))
        self.ask_players(_("Player %(number)s") % {"number": n} for n in range(1, seats + 1))
        if kind == EntrantKind.PLAYER:
            del self.fields["name"], self.fields["code"]
        if name is not None:
            self.fields.pop("code", None)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "code") if name in self.fields]


class MoveEntrantForm(ReasonForm):
    to = forms.CharField(required=False, widget=forms.HiddenInput)
    check_out = forms.BooleanField(
        label=gettext_lazy("Check out of the evening"), required=False, initial=True
    )


@event_page("read_public")
def entrants(request: PageRequest, event: Event) -> HttpResponse:
    rows = entrant_rows(event)
    context = {
        "entrants": rows,
        "n_withdrawn": sum(row.state == "withdrawn" for row in rows),
        "may_direct": may_do(event, "manage_event"),
    }
    return render_event(request, "events/entrants.html", event, context)


@event_form_page("manage_event")
def new_entrant(request: PageRequest, event: Event) -> HttpResponse:
    wish = request.POST.get("kind") or request.GET.get("kind", "")
    kind = wish if wish in EntrantKind.values else EntrantKind.PAIR.value
    form = EntrantForm(posted_with_answer(request, event.club), kind=kind)
    goes_on = is_sent_by(request, "more")
    if request.method == "POST" and form.is_valid():
        entrant = attempt(form, lambda: _entered(request, event, kind, form))
        if entrant is not None:
            messages.success(
                request, _("%(name)s added.") % {"name": entrant_name(entrant, FULL_NAME)}
            )
            if goes_on:
                again = reverse("tournaments:new-entrant", args=[event.club.slug, event.slug])
                return redirect(f"{again}?kind={kind}")
            return go_to("entrants", event)
    context: dict[str, Any] = {"kind": kind, "form": form, "people": _people(event)}
    context |= {
        "may_add_guest": may_do(event, "add_guest"),
        "meant": "more" if goes_on else "",
    }
    return _form_page(request, "events/new_entrant.html", event, context, form.has_problems)


@event_form_page("manage_event")
def manage_entrant(request: PageRequest, event: Event, entrant: str) -> HttpResponse:
    row = entrant_row(event, entrant)
    is_move = "to" in request.POST
    move = MoveEntrantForm(request.POST if is_move else None)
    form = EntrantForm(
        None if is_move else posted_with_answer(request, event.club),
        kind=row.kind,
        names=[member.label for member in row.members],
        name=row.own_name,
    )
    if is_move:
        competitor = submit(request, move, move_entrant, event=event, code=entrant)
        if competitor is not None:
            return _report_and_redirect(request, event, _entrant_text(competitor, row.name))
    elif request.method == "POST" and not is_move and form.is_valid():
        changed = attempt(form, lambda: _changed(request, event, row, form))
        if changed is not None:
            return _report_and_redirect(request, event, _("Done."))
    context: dict[str, Any] = {
        "entrant": row,
        "form": move if is_move else form,
        "own": form,
        "move": move,
        "here": here_at_newest(Entrant.objects.get(event=event, code=entrant)),
        "people": _people(event),
        "may_add_guest": may_do(event, "add_guest"),
    }
    is_refused = form.has_problems or move.has_problems
    return _form_page(request, "events/entrant.html", event, context, is_refused)


@event_form_page("manage_event")
def round_sit_outs(request: PageRequest, event: Event, number: int) -> HttpResponse:
    round_ = events.get_round(event, number)
    offered = _not_seated(event, round_)
    is_end = "end" in request.POST
    texts = request.POST.dict() | ({"entrant": request.POST["end"]} if is_end else {})
    form = SitOutForm(texts or None, entrants=offered)
    if request.method == "POST" and form.is_valid():
        attempt(form, lambda: _sit_out(request, round_, form, is_end))
        if not form.has_problems:
            return done(request, _("Done."), "sit-outs", event, number=number)
    context = {
        "round": round_,
        "form": form,
        "sit_outs": sit_outs_in(event, round_, with_left=True),
        "n_offered": len(offered),
        "may_change": round_.state != "closed" and event.state in ("draft", "open"),
    }
    to_round = layout.round_link(event, number)
    return _form_page(request, "events/sit_outs.html", event, context, form.has_problems, to_round)


def _entered(request: PageRequest, event: Event, kind: str, form: EntrantForm) -> Entrant:
    players = players_named(club=event.club, typed=form.players())
    texts = {name: form.cleaned_data[name] for name in ("name", "code") if name in form.fields}
    return add_entrant(
        actor=request.actor, event=event, kind=kind, players=players, now=timezone.now(), **texts
    )


def _changed(request: PageRequest, event: Event, row: EntrantRow, form: EntrantForm) -> Entrant:
    players = players_named(club=event.club, typed=form.players())
    return change_entrant(
        actor=request.actor,
        event=event,
        code=row.entrant_id,
        name=form.cleaned_data.get("name", ""),
        players=players,
        now=timezone.now(),
    )


def _sit_out(request: PageRequest, round_: Round, form: SitOutForm, is_end: bool) -> bool:
    entrant, now = form.cleaned_data["entrant"], timezone.now()
    if is_end:
        end_sit_out(actor=request.actor, round_=round_, entrant=entrant, now=now)
        return True
    why = form.cleaned_data["reason"]
    sit_out(actor=request.actor, round_=round_, entrant=entrant, reason=why, now=now)
    return True


def _entrant_text(entrant: Entrant, name: str) -> str:
    if entrant.state != "withdrawn":
        notice = _("%(name)s reinstated.")
    elif entrant.event.kind == EventKind.LADDER:
        notice = _("%(name)s withdrawn and removed from the ladder.")
    else:
        notice = _("%(name)s withdrawn. The standings still list the entrant, marked as withdrawn.")
    return notice % {"name": name}


def _report_and_redirect(request: PageRequest, event: Event, notice: str) -> HttpResponse:
    return done(request, notice, "entrants", event)


def _people(event: Event) -> list[str]:
    return [
        label_of(player)
        for player in list_players_of(event.club).filter(is_active=True).order_by("name")
    ]


def _not_seated(event: Event, round_: Round) -> list[tuple[str, str]]:
    seated = {line.entrant_id for card in rounds.round_cards(event, round_) for line in card.lines}
    resting = {sit_out_row.entrant_id for sit_out_row in sit_outs_in(event, round_, with_left=True)}
    return [
        (entrant.entrant_id, entrant.label)
        for entrant in entrant_rows(event)
        if entrant.state == "active"
        and entrant.entrant_id not in resting
        and not seated & {entrant.entrant_id, *(member.player_id for member in entrant.members)}
    ]


def _form_page(
    request: PageRequest,
    template: str,
    event: Event,
    context: dict[str, object],
    is_refused: bool,
    *more: Link,
) -> HttpResponse:
    crumbs = more or (layout.link_to(_("Entrants"), "entrants", event),)
    status = REFUSED if is_refused else 200
    return render_event(request, template, event, context, crumbs=crumbs, status=status)


SEEN: Final = "add_players"
"""The button that adds new players to the club too: its value has the names that were seen."""


@event_form_page("manage_event")
def add_entrants(request: PageRequest, event: Event) -> HttpResponse:
    player_ids = {member.player_id for row in entrant_rows(event) for member in row.members}
    merged = find_final_keys(event.club)
    offered = [
        (player.player_id, label_of(player))
        for player in list_players_of(event.club)
        if player.is_active and player.pk not in merged and player.player_id not in player_ids
    ]
    form = AddEntrantsForm(posted(request), offered=offered)
    unknown: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        lines, problems, unknown = read_entrants(event.club, form.typed())
        form.place(problems)
        if unknown and request.POST.get(SEEN) != form.names_in(unknown):
            form.ask_about(unknown)
        act = partial(enter, actor=request.actor, event=event, lines=lines)
        added = None if form.has_problems else attempt(form, lambda: act(now=timezone.now()))
        if added is not None:
            text = ngettext("%(n)s entrant added.", "%(n)s entrants added.", added)
            return done(request, text % {"n": added}, "manage-event", event)
    context = {
        "form": form,
        "n_offered": len(offered),
        "n_new": len(unknown) if may_do(event, "edit_players") else 0,
        "seen": form.names_in(unknown),
    }
    crumbs = (layout.link_to(_("Entrants"), "entrants", event),)
    return render_event(request, "events/add_entrants.html", event, context, form, crumbs=crumbs)
