"""Blank score sheets of any variant, without an event."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from scoring.rules.rules import Rules
from tournaments.forms.rounds.printing import BlankSheetForm
from tournaments.presenters.rules.rules_cards import usual_seats
from tournaments.printing.round_documents import blank_sheet
from tournaments.printing.typesetting import typeset_pdf
from tournaments.selectors.clubs import clubs
from tournaments.selectors.rules.house_rules import house_rules_at, version_at
from tournaments.services.rules.rule_sets import variants
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pdf_response import pdf_response
from tournaments.views.rules.variants import named_variant


@page("read_public")
def blank_score_sheet(request: PageRequest, variant: str) -> HttpResponse:
    """Ask for paper and layout; `seats` with them answers with an empty score sheet as a PDF."""
    found = named_variant(variant)
    if found != variant:
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return redirect(reverse("tournaments:blank-sheet", args=[found]) + query)
    rules = variants().rules(found)
    above = (
        Link(_("Games"), reverse("tournaments:variants")),
        Link(rules.name, reverse("tournaments:variant", args=[found])),
    )
    return _sheet(request, rules, found, layout.site_layout(request, above))


@page("read_public")
def house_score_sheet(request: PageRequest, club: str, slug: str, number: int) -> HttpResponse:
    """Ask for paper and layout of an empty score sheet of a version of house rules."""
    home = clubs.club_at(request.actor, club)
    own = house_rules_at(home, slug)
    rules = Rules.from_json(version_at(own, number).rules)
    above = (
        Link(_("House rules"), reverse("tournaments:house-rules", args=[club])),
        Link(rules.name, reverse("tournaments:house-version", args=[club, slug, number])),
    )
    return _sheet(request, rules, f"{slug}-{number}", layout.club_layout(request, home, above))


def _sheet(request: PageRequest, rules: Rules, name: str, around: layout.Layout) -> HttpResponse:
    """Return the form, or the sheet that it asked for; `name` is that of the file."""
    least, most = rules.keys.players
    asked = request.GET if "paper" in request.GET else None
    usual = {"seats": request.GET.get("seats") or usual_seats(rules)}
    form = BlankSheetForm(asked, least=least, most=most, initial=usual)
    if form.is_bound and form.is_valid():
        seats = form.cleaned_data["seats"]
        made = typeset_pdf(blank_sheet(rules, seats, options=form.options))
        return pdf_response(made, f"{name}-{seats}-score-sheet.pdf")
    context = {"layout": around, "name": rules.name, "form": form}
    return render_form(request, "rules/blank_score_sheet.html", context, form)
