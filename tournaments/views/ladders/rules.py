"""The rules of a ladder: read in words by everybody, changed by its director."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.domain.event_settings import Settings, settings_of, tag_of
from tournaments.forms.ladders.rules import GROUPS, WORDS, LadderRulesForm, value_text
from tournaments.models.events import Event
from tournaments.presenters.ladders.rule_fields import rule_fields, what_differs
from tournaments.selectors.clubs.clubs import may_do
from tournaments.services.events.change_settings import change_settings, has_hands
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form
from tournaments.views.ladders.context import ladder_at, ladder_layout


@page("read_public")
def rules(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the rules in force, and which of them are not the usual ones."""
    found = ladder_at(request, club, event)
    fields = {rule.key: rule for rule in rule_fields(found)}
    groups = [
        (key, title, [(WORDS[name][0], value_text(fields[name]), fields[name]) for name in names])
        for key, title, names in GROUPS
    ]
    context = {
        "layout": ladder_layout(request, found, layout.ladder_link(found)),
        "event": found,
        "groups": groups,
        "may_change": may_do(found, "manage_event") and found.state != "final",
    }
    return render(request, "ladders/rules.html", context)


@form_page("manage_event")
def change(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for other rules; with hands there, also why, since the whole ladder is played again."""
    found = ladder_at(request, club, event)
    settings = settings_of(found)
    is_played = has_hands(found)
    form = LadderRulesForm(
        posted(request),
        rules=rule_fields(found),
        asks_reason=is_played or found.state in ("closed", "final"),
        initial={"based_on": tag_of(settings)},
    )
    is_typed = request.method == "POST" and form.is_valid()
    if is_typed and attempt(form, lambda: _changed(request, found, form)) is not None:
        messages.success(request, _("Rules saved. The ladder will be updated."))
        return redirect("tournaments:ladder-rules", club=club, event=event)
    url = reverse("tournaments:ladder-rules", args=[club, event])
    context = {
        "layout": ladder_layout(
            request, found, layout.ladder_link(found), Link(_("Ladder rules"), url)
        ),
        "event": found,
        "form": form,
        "is_played": is_played,
    }
    return render_form(request, "ladders/change_rules.html", context, form)


def _changed(request: PageRequest, event: Event, form: LadderRulesForm) -> Settings:
    return change_settings(
        actor=request.actor,
        event=event,
        wanted={"ladder": what_differs(form.entered())},
        reason=form.cleaned_data.get("reason", ""),
        based_on=form.cleaned_data["based_on"],
        now=timezone.now(),
    )
