"""Notes of players about their own values, and the answers of directors."""

from typing import Any, ClassVar

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.errors import Forbidden
from tournaments.models.events import Entrant, Event
from tournaments.policy import Actor
from tournaments.selectors.standings.counted_values import list_counted_values
from tournaments.selectors.standings.result_notes import (
    find_own_entrant,
    get_result_note,
    list_notable_values,
    list_notes_of_player,
    list_open_of_player,
    value_name,
)
from tournaments.services.events.result_notes import answer_result_note, send_result_note
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import ServiceForm, posted, submit


class ResultNoteForm(ServiceForm):
    """Which value is wrong, and what about it.

    Args:
        values: what a note can be about, each with its name.
    """

    sentences: ClassVar = {"reason_required": gettext_lazy("Describe the problem in one sentence.")}
    about = forms.CharField(label=gettext_lazy("Value"))
    words = forms.CharField(
        label=gettext_lazy("What is wrong?"),
        max_length=500,
        help_text=gettext_lazy("One sentence. Only the directors of the club read it."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(
        self, data: object = None, *, values: list[tuple[str, str]] | None = None, **more: object
    ) -> None:
        super().__init__(data, **more)
        self.fields["about"].widget = forms.Select(choices=values or [])


class ResultAnswerForm(ServiceForm):
    sentences: ClassVar = {"reason_required": gettext_lazy("Answer in one sentence.")}
    answer = forms.CharField(
        label=gettext_lazy("Answer"),
        max_length=500,
        help_text=gettext_lazy("One sentence. Only the player and the directors read it."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    all_of_person = forms.BooleanField(
        label=gettext_lazy("Answer all open notes of this person in the event")
    )


def note_form(data: object, event: Event, entrant: Entrant, about: str = "") -> ResultNoteForm:
    values = list(list_notable_values(event, entrant))
    return ResultNoteForm(data, values=values, initial={"about": about})


def own_notes(actor: Actor, event: Event, code: str) -> dict[str, Any]:
    """Return the notes of the actor where the entrant with this code is theirs."""
    own = find_own_entrant(actor, event)
    if own is None or own[1].code != code:
        return {}
    player, _entrant = own
    notes = [(note, value_name(note.about)) for note in list_notes_of_player(event, player)]
    return {"is_own": True, "notes": notes}


@event_form_page((send_result_note, ResultNoteForm))
def new_result_note(request: PageRequest, event: Event) -> HttpResponse:
    own = find_own_entrant(request.actor, event)
    if own is None:
        raise Forbidden("note_own_result")
    player, entrant = own
    form = note_form(posted(request), event, entrant, request.GET.get("about", ""))
    if submit(request, form, send_result_note, event) is not None:
        notice = _("Your note was sent to the directors. You read their answer here.")
        return done(request, notice, "entrant", event, player_id=entrant.code)
    context = {"form": form, "is_over": event.state == "final", "entrant_id": entrant.code}
    crumbs = (layout.link_to(player.name, "entrant", event, player_id=entrant.code),)
    page = "events/result_note.html"
    return render_event(request, page, event, context, form, crumbs=crumbs)


@event_form_page((answer_result_note, ResultAnswerForm))
def answer(request: PageRequest, event: Event, number: int) -> HttpResponse:
    note = get_result_note(event, number)
    player = note.player.merged_into or note.player
    form = ResultAnswerForm(posted(request))
    n_others = list_open_of_player(event, player.pk).exclude(pk=note.pk).count()
    if submit(request, form, answer_result_note, note) is not None:
        notice = _("Note answered. %(player)s reads the answer.") % {"player": player.name}
        return done(request, notice, "manage-event", event)
    entrant = Entrant.objects.filter(event=event, members__player=player).first()
    context = {
        "note": note,
        "player": player,
        "value": value_name(note.about),
        "entrant": entrant,
        "values": list_counted_values(event, entrant) if entrant is not None else (),
        "n_others": n_others,
        "form": form,
    }
    page = "events/answer_result_note.html"
    return render_event(request, page, event, context, form)
