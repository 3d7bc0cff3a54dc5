"""The entrants of an event: the public list, and the director's forms."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Problem
from tournaments.domain.name_matching import MOST_SUGGESTED
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantKind, Event, EventKind
from tournaments.models.rounds import SIT_OUTS, SitOutReason
from tournaments.selectors.attendance.attendance_list import here_at_newest
from tournaments.selectors.attendance.not_entered import EXCUSED, list_not_entered
from tournaments.selectors.clubs.clubs import list_players_of, may_do
from tournaments.selectors.clubs.find_players import find_final_keys, label_of, names_of
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import (
    EntrantLine,
    entrant_name,
    entrant_row,
    entrant_rows,
    get_entrant,
    sit_outs_in,
)
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.resolve_players import players_named, read_entrants
from tournaments.services.events.adjustments import end_sit_out, sit_out
from tournaments.services.events.entrants import add_entrant, change_entrant, set_guest
from tournaments.services.events.entrants import add_entrants as enter
from tournaments.services.ladders.members import move_entrant
from tournaments.services.previewing.preview_guest import preview_guest
from tournaments.views.events.adjustments import ChosenEntrantForm
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.find_players import (
    NamedPlayersForm,
    few_suggested,
    is_sent_by,
    posted_with_answer,
)
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    ServiceForm,
    gives,
    hidden_field,
    operation_of,
    posted,
    submit,
    text_field,
)

AS_GUESTS: Final = gettext_lazy("As a guest")
OF_GUESTS: Final = gettext_lazy(
    "Guests are ranked in the evenings, and have no place in the season."
)
SEEN: Final = "add_players"
"""The button that adds new players to the club too: its value has the names that were seen."""


class AddEntrantsForm(ServiceForm):
    """Players to choose and lines to read; `unknown` are the names that are new to the club."""

    sentences: ClassVar = {
        # Without a comma, `clean` asks.
        "nobody_of_that_name": gettext_lazy(
            "“%(found)s” has a comma and is not on the club's list of players. Add the player "
            "first, or enter the name without a comma."
        ),
        "members_count": gettext_lazy("Choose players, or enter a name."),
    }
    players = forms.MultipleChoiceField(
        label=gettext_lazy("Players of the club"), widget=forms.CheckboxSelectMultiple
    )
    names = forms.CharField(
        label=gettext_lazy("Names"),
        help_text=gettext_lazy(
            "One a line: a player by name or number, a pair as “Ada & Ben”, a team as "
            "“Spades: Ada, Ben, Cy, Dee”."
        ),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )
    guests = forms.BooleanField(label=AS_GUESTS, help_text=OF_GUESTS)

    def __init__(
        self,
        data: object = None,
        *,
        event: Event,
        offered: Iterable[tuple[str, str]],
        chosen: Sequence[str] = (),
    ) -> None:
        super().__init__(data, initial={"players": chosen})
        self.club = event.club
        if event.kind != EventKind.LEAGUE:
            del self.fields["guests"]
        self.fields["players"].choices = list(offered)  # type: ignore[attr-defined]
        self.lines: Sequence[EntrantLine] = ()
        self.unknown: Sequence[Problem] = ()

    def clean(self) -> None:
        if not self.errors:
            lines = map(str.strip, self.cleaned_data["names"].splitlines())
            texts = [*self.cleaned_data["players"], *filter(None, lines)]
            self.lines, problems, self.unknown = read_entrants(self.club, texts)
            self.place(problems)
            if self.unknown and self.data.get(SEEN) != self.unknown_names:
                text = _("Not on the club's list of players: %(names)s.")
                self.add_error("names", text % {"names": self.unknown_names})
                if len(self.unknown) > MOST_SUGGESTED:
                    self.add_error("names", few_suggested())

    @gives("lines", "guests")
    def get_arguments(self) -> Mapping[str, object]:
        return {"lines": self.lines, "guests": self.cleaned_data.get("guests", False)}

    def field_of(self, problem: Problem) -> str | None:
        if problem.at[:1] == ("lines",):
            return "names"
        return super().field_of(problem)

    @property
    def unknown_names(self) -> str:
        names = []
        for problem in self.unknown:
            name = str(problem.facts["found"])
            near = " / ".join(str(player.facts["name"]) for player in problem.suggestions)
            names.append(f"{name} ({near}?)" if near else name)
        return " · ".join(names)


FIELDS: Final = {EntrantKind.PLAYER: 1, EntrantKind.PAIR: 2, EntrantKind.TEAM: 8}
"""Kind → fields for its players, as long as no more are needed."""
MOST_MEMBERS: Final = 20


class SitOutForm(ChosenEntrantForm):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        initial=SitOutReason.BYE,
        widget=forms.Select(choices=[*SIT_OUTS.items()]),
    )


class EndSitOutForm(ServiceForm):
    required_fields = ("entrant",)
    entrant = forms.CharField()


class EntrantForm(NamedPlayersForm):
    """A pair, a team or a player: one field for each of its players, `seat-1` on."""

    name = text_field(
        gettext_lazy("Name"), gettext_lazy("If empty, the names of the players are used.")
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        club: Club,
        kind: str,
        names: Sequence[str] = (),
        name: str | None = None,
    ) -> None:
        initial = {f"seat-{number}": label for number, label in enumerate(names, start=1)}
        super().__init__(data, initial={**initial, "name": name or ""})
        self.club = club
        filled = [n for n in range(1, MOST_MEMBERS + 1) if data and data.get(f"seat-{n}")]
        more = 2 if kind == EntrantKind.TEAM else 0
        seats = min(MOST_MEMBERS, max(FIELDS[EntrantKind(kind)], len(names) + more, *filled))
        self.ask_players(_("Player %(number)s") % {"number": n} for n in range(1, seats + 1))
        if kind == EntrantKind.PLAYER:
            for field in self.own_fields:
                del self.fields[field.name]

    @gives("players", "name")
    def get_arguments(self) -> Mapping[str, object]:
        players = players_named(club=self.club, typed=self.players())
        values = {field.name: self.cleaned_data[field.name] for field in self.own_fields}
        return {"players": players, **values}

    def field_of(self, problem: Problem) -> str | None:
        match problem.at:
            case ("players", int(index)):
                return f"seat-{index + 1}"
        return super().field_of(problem)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "code") if name in self.fields]


class NewEntrantForm(EntrantForm):
    guest = forms.BooleanField(label=AS_GUESTS, help_text=OF_GUESTS)
    code = text_field(
        gettext_lazy("Code"),
        gettext_lazy("Short code for lists. If empty, the next number is used."),
        autocapitalize="none",
        spellcheck="false",
    )

    def __init__(self, data: Mapping[str, object] | None, *, event: Event, kind: str) -> None:
        super().__init__(data, club=event.club, kind=kind)
        if event.kind != EventKind.LEAGUE:
            del self.fields["guest"]

    @gives("players", "name", "code", "guest")
    def get_arguments(self) -> Mapping[str, object]:
        return {**super().get_arguments(), "guest": self.cleaned_data.get("guest", False)}

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields that a player alone has not."""
        return [self[name] for name in ("name", "code") if name in self.fields]


class MoveEntrantForm(ReasonForm):
    to = hidden_field()
    check_out = forms.BooleanField(label=gettext_lazy("Check out of the evening"), initial=True)


class AdmissionForm(ReasonForm):
    prefix = "guest"


@event_page("read_public")
def entrants(request: PageRequest, event: Event) -> HttpResponse:
    rows = entrant_rows(event)
    context = {
        "entrants": rows,
        "has_units": not all(row.is_alone for row in rows),
        "n_withdrawn": sum(row.state == "withdrawn" for row in rows),
        "n_guests": sum(row.guest for row in rows),
        "may_direct": may_do(event, "manage_event"),
    }
    return render_event(request, "events/entrants.html", event, context)


@event_form_page((add_entrant, NewEntrantForm, "kind"))
def new_entrant(request: PageRequest, event: Event) -> HttpResponse:
    wish = request.POST.get("kind") or request.GET.get("kind", "")
    kind = wish if wish in EntrantKind.values else EntrantKind.PAIR.value
    form = NewEntrantForm(posted_with_answer(request, event.club), event=event, kind=kind)
    goes_on = is_sent_by(request, "more")
    entrant = submit(request, form, add_entrant, event, kind=kind)
    if entrant is not None:
        notice = _("%(name)s added.") % {"name": entrant_name(entrant, FULL_NAME)}
        answer = done(request, notice, "entrants", event)
        if not goes_on:
            return answer
        return redirect(f"{request.path}?kind={kind}")
    context = {
        "kind": kind,
        "form": form,
        "people": _people(event),
        "may_add_guest": may_do(event, "add_guest"),
        "meant": "more" if goes_on else "",
    }
    page = "events/new_entrant.html"
    return render_event(request, page, event, context, form, crumbs=_crumbs(event))


@event_form_page(
    (change_entrant, EntrantForm),
    (move_entrant, MoveEntrantForm),
    (set_guest, AdmissionForm, "guest"),
)
def manage_entrant(request: PageRequest, event: Event, entrant: str) -> HttpResponse:
    row = entrant_row(event, entrant)
    competitor = get_entrant(event, entrant)
    is_move = "to" in request.POST
    is_guest_move = "guest" in request.POST
    move = MoveEntrantForm(request.POST if is_move else None)
    admission = AdmissionForm(request.POST if is_guest_move else None)
    form = EntrantForm(
        None if is_move or is_guest_move else posted_with_answer(request, event.club),
        club=event.club,
        kind=row.kind,
        names=[member.label for member in row.members],
        name=row.own_name,
    )
    moved = submit(request, move, move_entrant, competitor)
    if moved is not None:
        return done(request, _entrant_text(moved, row.name), "entrants", event)
    to_guest = not competitor.guest
    admitted = submit(request, admission, set_guest, competitor, guest=to_guest)
    if admitted is not None:
        return done(request, _guest_text(admitted, row.name), "entrants", event)
    if submit(request, form, change_entrant, competitor) is not None:
        return done(request, _("Done."), "entrants", event)
    has_guests = event.kind == EventKind.LEAGUE and not event.is_over
    preview = None
    if has_guests:
        preview = preview_guest(operation_of(request), competitor, guest=to_guest)
    sent: ServiceForm = form
    if is_move:
        sent = move
    elif is_guest_move:
        sent = admission
    context = {
        "entrant": row,
        "form": sent,
        "admission": admission,
        "has_guests": has_guests,
        "preview": preview,
        "own": form,
        "move": move,
        "here": here_at_newest(competitor),
        "people": _people(event),
        "may_add_guest": may_do(event, "add_guest"),
    }
    page = "events/entrant.html"
    forms_of_page = (form, move, admission)
    return render_event(request, page, event, context, *forms_of_page, crumbs=_crumbs(event))


@event_form_page((sit_out, SitOutForm), (end_sit_out, EndSitOutForm))
def round_sit_outs(request: PageRequest, event: Event, number: int) -> HttpResponse:
    round_ = events.get_round(event, number)
    seated = {line.entrant_id for card in rounds.round_cards(event, round_) for line in card.lines}
    resting = {sit_out_row.entrant_id for sit_out_row in sit_outs_in(event, round_, with_left=True)}
    offered = [
        (entrant.entrant_id, entrant.label)
        for entrant in entrant_rows(event)
        if entrant.state == "active"
        and entrant.entrant_id not in resting
        and not seated & {entrant.entrant_id, *(member.player_id for member in entrant.members)}
    ]
    if "end" in request.POST:
        form: ServiceForm = EndSitOutForm({"entrant": request.POST["end"]})
        submit(request, form, end_sit_out, round_)
    else:
        form = SitOutForm(posted(request), entrants=offered)
        submit(request, form, sit_out, round_)
    if form.is_bound and not form.errors:
        return done(request, _("Done."), "sit-outs", event, number=number)
    context = {
        "round": round_,
        "form": form,
        "sit_outs": sit_outs_in(event, round_, with_left=True),
        "n_offered": len(offered),
        "may_change": round_.state != "closed" and not event.is_over,
    }
    crumbs = (layout.round_link(event, number),)
    return render_event(request, "events/sit_outs.html", event, context, form, crumbs=crumbs)


def _entrant_text(entrant: Entrant, name: str) -> str:
    if entrant.state != "withdrawn":
        notice = _("%(name)s reinstated.")
    elif entrant.event.is_ladder:
        notice = _("%(name)s withdrawn and removed from the ladder.")
    else:
        notice = _("%(name)s withdrawn. The name stays in the standings, marked as withdrawn.")
    return notice % {"name": name}


def _guest_text(entrant: Entrant, name: str) -> str:
    notice = _("%(name)s is a member now. All results so far count in the season.")
    if entrant.guest:
        notice = _("%(name)s is a guest now, without a place in the season.")
    return notice % {"name": name}


def _people(event: Event) -> list[str]:
    players = list_players_of(event.club).filter(is_active=True)
    return names_of(event.club, players)


def _crumbs(event: Event) -> tuple[Link, ...]:
    return (layout.link_to(_("Players"), "entrants", event),)


@event_form_page((enter, AddEntrantsForm))
def add_entrants(request: PageRequest, event: Event) -> HttpResponse:
    player_ids = {member.player_id for row in entrant_rows(event) for member in row.members}
    merged = find_final_keys(event.club)
    offered = [
        (player.player_id, label_of(player))
        for player in list_players_of(event.club)
        if player.is_active and player.pk not in merged and player.player_id not in player_ids
    ]
    day = request.GET.get(EXCUSED, "")
    excused: Sequence[Player] = ()
    if day:
        excused = list_not_entered(meeting_on(event, date_of(day)))
    chosen = [player.player_id for player in excused]
    form = AddEntrantsForm(posted(request), event=event, offered=offered, chosen=chosen)
    added = submit(request, form, enter, event)
    if added is not None:
        text = ngettext("%(n)s added.", "%(n)s added.", added)
        return done(request, text % {"n": added}, "manage-event", event)
    context = {
        "form": form,
        "n_offered": len(offered),
        "n_excused": len(excused),
        "n_new": len(form.unknown) if may_do(event, "edit_players") else 0,
        "seen": form.unknown_names,
    }
    page = "events/add_entrants.html"
    return render_event(request, page, event, context, form, crumbs=_crumbs(event))
