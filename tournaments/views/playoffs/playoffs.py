"""The director's operations on a play-off: one small form for each."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import list_players_of, may_do
from tournaments.selectors.clubs.find_players import label_of
from tournaments.selectors.hands.decisions import listed
from tournaments.selectors.playoffs.playoffs import PlayoffView, get_playoff, playoffs_of
from tournaments.selectors.standings.publications import review_of
from tournaments.services.playoffs.director_actions import (
    answer_playoff,
    extend_playoff,
    move_playoff,
    retire_member,
    seat_neutrals,
    waive_playoff,
)
from tournaments.services.previewing.playoff_answers import AnswerPreview, answers_about
from tournaments.templatetags.tables import table_name
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    ServiceForm,
    gives,
    hidden_field,
    operation_of,
    submit,
)
from tournaments.views.playoffs.playoff_text import (
    ACTIONS,
    playoff_in_words,
    sheet_of,
    status_text,
    text_for_host,
)
from tournaments.views.rules.variant_options import WHOLE

WHY: Final = (("no_show", _("does not appear")), ("withdrawn", _("gives up")))


class PlayoffForm(ServiceForm):
    """One action at a play-off, a key of `FORMS`, with its fields, whose ids name it."""

    def __init__(
        self,
        action: str,
        data: object = None,
        *,
        members: Iterable[tuple[str, str]] = (),
        chairs: Iterable[tuple[str, str]] = (),
        **more: object,
    ) -> None:
        super().__init__(data, auto_id=f"id_{action}_%s", **more)
        self.action = action
        self.members = list(members)
        self.chairs = chairs
        self.ask()

    def ask(self) -> None:
        """Add what depends on the play-off to the fields."""

    @property
    def asked(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name != "answer"]

    def field_of(self, problem: Problem) -> str | None:
        if problem.at[:1] == ("players",) and len(problem.at) == 2:
            name = f"neutral-{problem.at[1]}"
            return name if name in self.fields else None
        field = super().field_of(problem)
        # Found when a member is placed, by rules that know nothing of fields.
        if field is None and problem.code in ("playoff_placed", "playoff_stranger"):
            return "player_id" if "player_id" in self.fields else None
        return field


class PlayoffReasonForm(PlayoffForm, ReasonForm):
    pass


class AnswerForm(PlayoffReasonForm):
    answer = hidden_field()


class NeutralForm(PlayoffForm):
    def ask(self) -> None:
        for at, (label, player) in enumerate(self.chairs):
            self.fields[f"neutral-{at}"] = forms.CharField(
                label=label,
                initial=player,
                widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
            )

    @gives("players")
    def get_arguments(self) -> Mapping[str, object]:
        return {"players": list(self.cleaned_data.values())}


class GoneForm(PlayoffForm):
    player_id = forms.CharField(label=_("Name"), widget=forms.Select)
    why = forms.CharField(label=_("Reason"), initial="no_show", widget=forms.Select(choices=WHY))

    def ask(self) -> None:
        self.fields["player_id"].widget.choices = self.members


class ExtendForm(PlayoffForm):
    hands = forms.CharField(
        label=_("Number of additional hands"),
        initial="4",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def clean_hands(self) -> int:
        """Return the number that was typed; what is none is 0, which the service refuses."""
        text = str(self.cleaned_data["hands"]).strip()
        if WHOLE.fullmatch(text) and len(text) < 5:
            return int(text)
        return 0


FORMS: Final[Mapping[str, tuple[Any, ...]]] = {
    "answer": (answer_playoff, AnswerForm, "number"),
    "scheduled": (move_playoff, PlayoffForm, "number", "to"),
    "neutral": (seat_neutrals, NeutralForm, "number"),
    "gone": (retire_member, GoneForm, "number"),
    "extend": (extend_playoff, ExtendForm, "number"),
    "by_lot": (move_playoff, PlayoffForm, "number", "to"),
    "waive": (waive_playoff, PlayoffReasonForm, "number"),
    "void": (move_playoff, PlayoffReasonForm, "number", "to"),
}
"""Action → its operation with its form, and what the view adds."""


DONE: Final = {
    "answer": gettext_lazy("Decision saved."),
    "scheduled": gettext_lazy("Tables created."),
    "neutral": gettext_lazy("Neutral players seated."),
    "gone": gettext_lazy("Placed last."),
    "extend": gettext_lazy("More hands allowed."),
    "by_lot": gettext_lazy("Lot drawn. The standings will be updated."),
    "waive": gettext_lazy("Place shared. The standings will be updated."),
    "void": gettext_lazy("Play-off voided. If the tie remains, a new play-off follows."),
}


@event_page("read_public")
def playoffs(request: PageRequest, event: Event) -> HttpResponse:
    context = {
        "playoffs": [playoff_in_words(event, playoff_view) for playoff_view in playoffs_of(event)],
        "settings": settings_of(event),
    }
    return render_event(request, "playoffs/playoffs.html", event, context)


@event_page("read_public")
def playoff(request: PageRequest, event: Event, number: int) -> HttpResponse:
    return _playoff_page(request, event, number)


@event_form_page(*FORMS.values())
def manage_playoff(request: PageRequest, event: Event, number: int) -> HttpResponse:
    action = request.POST.get("act", "")
    if request.method != "POST":
        return _playoff_page(request, event, number)
    if action not in FORMS:
        raise Missing("playoff", {"playoff": number})
    view = get_playoff(event, number, may_direct=True)
    operation, form_type, *names = FORMS[action]
    form = form_type(action, request.POST, members=_playing_members(view), chairs=_chairs(view))
    about = {"number": number, "to": action}
    if submit(request, form, operation, event, **{name: about[name] for name in names}) is not None:
        return done(request, _notice(event, number, action), "playoff", event, number=number)
    return _playoff_page(request, event, number, form)


def _notice(event: Event, number: int, action: str) -> str:
    """The result; a lot for a tie at a table decides who advances, and changes no standings."""
    view = get_playoff(event, number) if action == "by_lot" else None
    if view is None or not any(line["round"] for line in view.boundaries):
        return str(DONE[action])
    qualified = [member.player for member in view.members if member.status == "above"]
    text = ngettext("Lot drawn: %(who)s goes on.", "Lot drawn: %(who)s go on.", len(qualified))
    return text % {"who": listed(qualified)}


def _chairs(view: PlayoffView) -> list[tuple[str, str]]:
    label = gettext("Neutral player at %(table)s, seat %(seat)s")
    return [
        (
            label % {"table": table_name(chair["table"]).lower(), "seat": chair["seat"]},
            f"{chair['player']} ({chair['player_id']})" if chair["player_id"] else "",
        )
        for chair in view.chairs
    ]


def _playing_members(view: PlayoffView) -> list[tuple[str, str]]:
    return [
        (member.player_id, member.player) for member in view.members if member.status == "playing"
    ]


def _playoff_page(
    request: PageRequest, event: Event, number: int, refused: PlayoffForm | None = None
) -> HttpResponse:
    may_direct = may_do(event, "manage_event")
    view = get_playoff(event, number, may_direct=may_direct)
    answers: tuple[AnswerPreview, ...] = ()
    if may_direct and view.is_asked:
        answers = answers_about(operation_of(request), event, number)
    actions = [action for action in FORMS if action in view.may]
    if refused is not None and refused.action not in actions:
        actions.insert(0, refused.action)
    forms = [
        refused
        if refused is not None and refused.action == action
        else FORMS[action][1](action, members=_playing_members(view), chairs=_chairs(view))
        for action in actions
    ]
    people = list_players_of(event.club).filter(is_active=True)
    context = {
        "text": playoff_in_words(event, view),
        "playoff": view,
        "members": [(member, status_text(view, member.status)) for member in view.members],
        "sheet": sheet_of(view),
        "says": text_for_host(view),
        "form": refused,
        "answers": answers,
        "review": review_of(event) if view.is_asked else None,
        "actions": [(form, *ACTIONS[form.action]) for form in forms],
        "step": next((action for action in ("answer", "scheduled") if action in actions), ""),
        "people": list(map(label_of, people)) if "neutral" in actions else (),
    }
    crumbs = (layout.link_to(gettext("Play-offs"), "playoffs", event),)
    page = "playoffs/playoff.html"
    return render_event(request, page, event, context, refused, crumbs=crumbs)
