"""The catalogue of games, their rules cards, and two games side by side."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from scoring.errors import Refused
from tournaments.domain.option_text import sentences
from tournaments.errors import Missing
from tournaments.forms.rules.variant_search import CatalogueForm
from tournaments.models.events import Event, Snapshot
from tournaments.presenters.rules.option_differences import differing_in
from tournaments.presenters.rules.rules_cards import asked_card, comparison, games
from tournaments.selectors.events import events
from tournaments.selectors.rules import rule_snapshots
from tournaments.services.rules.rule_sets import offered_in, rules_of, variants
from tournaments.templatetags.tables import table_name
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, page
from tournaments.views.http.layout import Link, PageRequest


@page("read_public")
def catalogue(request: PageRequest) -> HttpResponse:
    """List the games that this site knows, as far as they fit what is looked for."""
    form = CatalogueForm(request.GET or None)
    is_read = not form.is_bound or form.is_valid()
    context = {
        "layout": layout.site_layout(request),
        "form": form,
        "games": games(form.entered()) if is_read else (),
        "is_read": is_read,
        "every": [variants().variant(one) for one in variants().ids],
    }
    return render(request, "rules/variants.html", context, status=200 if is_read else REFUSED)


@page("read_public")
def variant(request: PageRequest, variant: str) -> HttpResponse:
    """Print a game's rules card; another name of it leads to its id."""
    found = named_variant(variant)
    if found != variant:
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return redirect(reverse("tournaments:variant", args=[found]) + query)
    card, why = asked_card(variants().rules(found), request.GET.get("seats"))
    context = {
        "layout": layout.site_layout(request, (_to_catalogue(),)),
        "card": card,
        "why": why,
        "about": variants().variant(found),
        "others": [variants().variant(one) for one in variants().ids if one != found],
    }
    return render(request, "rules/variant.html", context, status=REFUSED if why else 200)


@page("read_public")
def compare(request: PageRequest) -> HttpResponse:
    """Print two games side by side, rule by rule; `same=hide` leaves out what both have."""
    asked = [request.GET.get(side, "") for side in ("a", "b")]
    left, right = map(named_variant, asked)
    if [left, right] != asked:
        query = request.GET.copy()
        query["a"], query["b"] = left, right
        return redirect(f"{request.path}?{query.urlencode()}")
    hides = request.GET.get("same") == "hide"
    context = {
        "layout": layout.site_layout(request, (_to_catalogue(),)),
        "both": comparison(variants().rules(left), variants().rules(right)),
        "hides": hides,
        "other_way": "?" + urlencode({"a": left, "b": right} | ({} if hides else {"same": "hide"})),
        "swapped": "?" + urlencode({"a": right, "b": left}),
    }
    return render(request, "rules/compare.html", context)


@page("read_public")
def event_rules(request: PageRequest, club: str, event: str) -> HttpResponse:
    """List the rules that tables of an event were played under; one alone is shown at once."""
    found = events.event_at(request.actor, club, event)
    kept, offered = list(rule_snapshots.snapshots_of(found)), offered_in(found)
    if len(kept) == 1:
        return _stored_card(
            request, found, rule_snapshots.snapshot_at(found, kept[0].content_hash), ()
        )
    own = found.variant if not kept and found.variant in variants().ids else ""
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "kept": [(one, sentences(differing_in(offered, one.variant, one.options))) for one in kept],
        "planned": variants().variant(own) if own else None,
    }
    return render(request, "rules/event_rules.html", context)


@page("read_public", at_table=True)
def table_rules(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Print the rules card of what one table plays, for as many as sit there."""
    found = events.event_at(request.actor, club, event, code=code)
    kept, seats = rule_snapshots.rules_at(found, code)
    back = reverse("tournaments:table", args=[club, event, code])
    return _stored_card(
        request, found, kept, (Link(table_name(code), back),), seats=str(seats), back=back
    )


@page("read_public")
def snapshot(request: PageRequest, club: str, event: str, version: str) -> HttpResponse:
    """Print the rules card of exactly what tables of this event were played under."""
    found = events.event_at(request.actor, club, event)
    kept = rule_snapshots.snapshot_at(found, version)
    return _stored_card(request, found, kept, (_to_rules(club, event),))


def _stored_card(
    request: PageRequest,
    event: Event,
    kept: Snapshot,
    way: tuple[Link, ...],
    *,
    seats: str = "",
    back: str = "",
) -> HttpResponse:
    """The card of rules that an event keeps; `seats` where nobody asks for another number."""
    card, why = asked_card(rules_of(kept), request.GET.get("seats") or seats)
    context = {
        "layout": layout.event_layout(request, event, (layout.event_link(event), *way)),
        "event": event,
        "card": card,
        "why": why,
        "back": back,
        "tables": rule_snapshots.tables_under(event, kept),
        "is_shipped": kept.variant in variants().ids,
        "differs": sentences(differing_in(offered_in(event), kept.variant, kept.options)),
        "kept": kept,
        "is_older": _is_older(kept),
    }
    return render(request, "rules/snapshot.html", context, status=REFUSED if why else 200)


def _is_older(kept: Snapshot) -> bool:
    """Whether the variant of that name, with the same options, says something else today."""
    if kept.variant not in variants().ids:
        return False
    try:
        return variants().rules(kept.variant, kept.options).content_hash != kept.content_hash
    except Refused:
        return True


def named_variant(text: str) -> str:
    """Return the id of the variant of that name.

    Raises:
        Missing: variant; the facts have the closest ids.
    """
    try:
        return variants().find(text)
    except Refused as refused:
        close = [str(one.facts["name"]) for one in refused.problems[0].suggestions]
        facts = {"found": refused.problems[0].facts["found"], "closest": " ".join(close)}
        raise Missing("variant", facts) from refused


def _to_catalogue() -> Link:
    return Link(_("Games"), reverse("tournaments:variants"))


def _to_rules(club: str, event: str) -> Link:
    return Link(_("Rules"), reverse("tournaments:event-rules", args=[club, event]))
