"""The catalogue of games, their rules cards, two games side by side, blank score sheets."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Refused
from scoring.rules.rules import Rules
from tournaments.documents.round_documents import blank_sheet
from tournaments.documents.typesetting import pdf_response, typeset_pdf
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Snapshot
from tournaments.selectors.rules import house_rules
from tournaments.selectors.rules.house_rules import get_house_rules, get_version_at
from tournaments.selectors.rules.rule_sets import (
    differing_in,
    offered_in,
    rules_of,
    sentences,
    variants,
)
from tournaments.selectors.rules.rules_cards import asked_card, comparison, games, usual_seats
from tournaments.templatetags.tables import table_name
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, club_page, event_page, page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import render_event, render_site
from tournaments.views.http.print_forms import BlankSheetForm
from tournaments.views.http.service_form import ServiceForm, render_form

MOST_PLAYERS: Final = 13
SIDES: Final = (("", _("Any")), ("true", _("With partners")), ("false", _("Individual")))
PACKS: Final = (("", _("Any")), ("1", _("One")), ("2", _("Two")), ("3", _("Three")))


class CatalogueForm(ServiceForm):
    """The filters of the catalogue; an empty one is not applied."""

    q = forms.CharField(label=_("Name"), max_length=100)
    players = forms.IntegerField(
        label=_("Players"),
        min_value=2,
        max_value=MOST_PLAYERS,
        error_messages={"invalid": _("Enter a number of players from 2 to 13.")},
    )
    partnership = forms.ChoiceField(label=_("Sides"), choices=SIDES)
    packs = forms.ChoiceField(label=_("Packs"), choices=PACKS)

    def games(self) -> Sequence[tuple[object, ...]]:
        entered = getattr(self, "cleaned_data", {})
        sides, packs = entered.get("partnership"), entered.get("packs")
        return games(
            text=entered.get("q") or "",
            players=entered.get("players"),
            has_partners=sides == "true" if sides else None,
            packs=int(packs) if packs else None,
        )


@page("read_public")
def catalogue(request: PageRequest) -> HttpResponse:
    form = CatalogueForm(request.GET or None)
    is_read = not form.is_bound or form.is_valid()
    context = {
        "form": form,
        "games": form.games() if is_read else (),
        "is_read": is_read,
        "every": [variants().variant(key) for key in variants().ids],
    }
    return render_site(request, "rules/variants.html", context, status=200 if is_read else REFUSED)


@page("read_public")
def variant(request: PageRequest, variant: str) -> HttpResponse:
    variant_id = named_variant(variant)
    if variant_id != variant:
        return _redirect_to_id(request, "variant", variant_id)
    card, why = asked_card(variants().rules(variant_id), request.GET.get("seats"))
    context = {
        "card": card,
        "why": why,
        "about": variants().variant(variant_id),
        "others": [variants().variant(key) for key in variants().ids if key != variant_id],
    }
    page = "rules/variant.html"
    status = REFUSED if why else 200
    return render_site(request, page, context, crumbs=(_to_catalogue(),), status=status)


@page("read_public")
def compare(request: PageRequest) -> HttpResponse:
    """Print two games side by side, rule by rule; `same=hide` leaves out what both have."""
    names = [request.GET.get(side, "") for side in ("a", "b")]
    left, right = map(named_variant, names)
    if [left, right] != names:
        query = request.GET.copy()
        query["a"], query["b"] = left, right
        return redirect(f"{request.path}?{query.urlencode()}")
    hides = request.GET.get("same") == "hide"
    left_card, right_card, subjects = comparison(variants().rules(left), variants().rules(right))
    is_same = [pair[-1] for pairs in subjects.values() for pair in pairs]
    context = {
        "left": left_card,
        "right": right_card,
        "subjects": subjects,
        "n_same": is_same.count(True),
        "n_different": is_same.count(False),
        "hides": hides,
        "other_way": "?" + urlencode({"a": left, "b": right} | ({} if hides else {"same": "hide"})),
        "swapped": "?" + urlencode({"a": right, "b": left}),
    }
    return render_site(request, "rules/compare.html", context, crumbs=(_to_catalogue(),))


@event_page("read_public")
def event_rules(request: PageRequest, event: Event) -> HttpResponse:
    """List the rules that tables of an event were played under; one alone is shown at once."""
    snapshots = list(house_rules.list_snapshots(event))
    offered = offered_in(event)
    if len(snapshots) == 1:
        only = house_rules.get_snapshot(event, snapshots[0].content_hash)
        return _stored_card(request, event, only, ())
    is_planned = not snapshots and event.variant in variants().ids
    context = {
        "kept": [
            (row, sentences(differing_in(offered, row.variant, row.options))) for row in snapshots
        ],
        "planned": variants().variant(event.variant) if is_planned else None,
    }
    return render_event(request, "rules/event_rules.html", event, context)


@event_page("read_public", at_table=True)
def table_rules(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Print the rules card of what one table plays, for as many as sit there."""
    snapshot, seats = house_rules.rules_at(event, code)
    link = layout.link_to(table_name(code), "table", event, code=code)
    return _stored_card(request, event, snapshot, (link,), seats=str(seats), back=link.url)


@event_page("read_public")
def snapshot(request: PageRequest, event: Event, version: str) -> HttpResponse:
    to_rules = layout.link_to(gettext("Rules"), "event-rules", event)
    stored = house_rules.get_snapshot(event, version)
    return _stored_card(request, event, stored, (to_rules,))


def _stored_card(
    request: PageRequest,
    event: Event,
    snapshot: Snapshot,
    way: tuple[Link, ...],
    *,
    seats: str = "",
    back: str = "",
) -> HttpResponse:
    """Return the card of rules that an event keeps; `seats` is the default number of players."""
    card, why = asked_card(rules_of(snapshot), request.GET.get("seats") or seats)
    context = {
        "card": card,
        "why": why,
        "back": back,
        "tables": house_rules.count_tables_under(event, snapshot),
        "is_shipped": snapshot.variant in variants().ids,
        "differs": sentences(differing_in(offered_in(event), snapshot.variant, snapshot.options)),
        "kept": snapshot,
        "is_older": _is_older(snapshot),
    }
    status = REFUSED if why else 200
    return render_event(request, "rules/snapshot.html", event, context, crumbs=way, status=status)


def _is_older(snapshot: Snapshot) -> bool:
    if snapshot.variant not in variants().ids:
        return False
    try:
        rules = variants().rules(snapshot.variant, snapshot.options)
    except Refused:
        return True
    return rules.content_hash != snapshot.content_hash


def _redirect_to_id(request: PageRequest, page: str, variant_id: str) -> HttpResponse:
    return redirect(reverse(f"tournaments:{page}", args=[variant_id], query=request.GET or None))


def named_variant(text: str) -> str:
    try:
        return variants().find(text)
    except Refused as refused:
        close = [str(suggestion.facts["name"]) for suggestion in refused.problems[0].suggestions]
        facts = {"found": refused.problems[0].facts["found"], "closest": " ".join(close)}
        raise Missing("variant", facts) from refused


def _to_catalogue() -> Link:
    return Link(gettext("Games"), reverse("tournaments:variants"))


@page("read_public")
def blank_score_sheet(request: PageRequest, variant: str) -> HttpResponse:
    variant_id = named_variant(variant)
    if variant_id != variant:
        return _redirect_to_id(request, "blank-sheet", variant_id)
    rules = variants().rules(variant_id)
    above = (_to_catalogue(), Link(rules.name, reverse("tournaments:variant", args=[variant_id])))
    return _sheet(request, rules, variant_id, layout.site_layout(request, above))


@club_page
def house_score_sheet(request: PageRequest, club: Club, slug: str, number: int) -> HttpResponse:
    rules = Rules.from_json(get_version_at(get_house_rules(club, slug), number).rules)
    above = (
        layout.house_rules_link(club),
        Link(rules.name, reverse("tournaments:house-version", args=[club.slug, slug, number])),
    )
    return _sheet(request, rules, f"{slug}-{number}", layout.club_layout(request, club, above))


def _sheet(request: PageRequest, rules: Rules, name: str, around: layout.Layout) -> HttpResponse:
    least, most = rules.keys.players
    query = request.GET if "paper" in request.GET else None
    usual = {"seats": request.GET.get("seats") or usual_seats(rules)}
    form = BlankSheetForm(query, least=least, most=most, initial=usual)
    if form.is_valid():
        seats = form.cleaned_data["seats"]
        pdf = typeset_pdf(blank_sheet(rules, seats, options=form.options))
        return pdf_response(pdf, f"{name}-{seats}-score-sheet.pdf")
    context = {"layout": around, "name": rules.name, "form": form}
    return render_form(request, "rules/blank_score_sheet.html", context, form)
