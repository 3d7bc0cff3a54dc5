"""Public pages of a club's house rules: the list, a version, and the difference of two."""

from itertools import zip_longest

from django.http import HttpResponse
from django.utils.translation import gettext as _

from scoring.rules.rules import Rules
from tournaments.documents.rule_files import MEDIA_TYPE, rule_file
from tournaments.models.clubs import Club
from tournaments.models.rules import HouseVariant, HouseVersion
from tournaments.selectors.clubs import clubs
from tournaments.selectors.rules import house_rules as selectors
from tournaments.selectors.rules.rule_sets import (
    differing,
    option_label,
    present_text,
    sentences,
    value_text,
    variants,
)
from tournaments.selectors.rules.rules_cards import asked_card, comparison
from tournaments.services.rules.house_rules import HOUSE_RULES_RIGHT
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, club_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import go_to, render_club
from tournaments.views.rules.edit_house_rules import VersionsForm


@club_page
def house_rules_list(request: PageRequest, club: Club) -> HttpResponse:
    pairs = [(house, selectors.newest(house)) for house in selectors.house_rules_of(club)]
    context = {
        "offered": [pair for pair in pairs if not pair[0].is_archived],
        "archived": [pair for pair in pairs if pair[0].is_archived],
        "may_change": clubs.may_do(club, HOUSE_RULES_RIGHT),
    }
    return render_club(request, "rules/house_rules.html", club, context)


@club_page
def house(request: PageRequest, club: Club, slug: str) -> HttpResponse:
    house = selectors.get_house_rules(club, slug)
    return _version(request, club, house, selectors.newest(house))


@club_page
def to_house(request: PageRequest, club: Club, slug: str) -> HttpResponse:
    return go_to("house-rule", club, slug=slug)


@club_page
def version(request: PageRequest, club: Club, slug: str, number: int) -> HttpResponse:
    house = selectors.get_house_rules(club, slug)
    return _version(request, club, house, selectors.get_version_at(house, number))


@club_page
def version_file(request: PageRequest, club: Club, slug: str, number: int) -> HttpResponse:
    house_variant = selectors.get_house_rules(club, slug)
    text = rule_file(selectors.get_version_at(house_variant, number), variants())
    response = HttpResponse(text, content_type=f"{MEDIA_TYPE}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{house_variant.slug}.toml"'
    return response


@club_page
def difference(request: PageRequest, club: Club, slug: str) -> HttpResponse:
    house_variant = selectors.get_house_rules(club, slug)
    numbers = [house_version.number for house_version in selectors.list_versions(house_variant)]
    form = VersionsForm(request.GET or None)
    left = (numbers[1:2] or numbers[:1])[0]
    right = numbers[0]
    if form.is_valid():
        left, right = form.cleaned_data["left"], form.cleaned_data["right"]
    before, after = (
        selectors.get_version_at(house_variant, left),
        selectors.get_version_at(house_variant, right),
    )
    *_cards, subjects = comparison(Rules.from_json(before.rules), Rules.from_json(after.rules))
    pairs = [(subject, *pair) for subject, pairs in subjects.items() for pair in pairs]
    context = {
        "house": house_variant,
        "before": before,
        "after": after,
        "versions": sorted(numbers),
        "options": option_changes(before, after),
        "changed": [row for *row, is_same in pairs if not is_same],
        "alike": sum(is_same for *_row, is_same in pairs),
    }
    crumbs = _crumbs(house_variant)
    return render_club(request, "rules/house_difference.html", club, context, crumbs=crumbs)


@club_page
def version_card(request: PageRequest, club: Club, slug: str, number: int) -> HttpResponse:
    house_variant = selectors.get_house_rules(club, slug)
    house_version = selectors.get_version_at(house_variant, number)
    card, why = asked_card(Rules.from_json(house_version.rules), request.GET.get("seats"))
    context = {"house": house_variant, "version": house_version, "card": card, "why": why}
    crumbs = _crumbs(house_variant)
    status = REFUSED if why else 200
    return render_club(
        request, "rules/house_card.html", club, context, crumbs=crumbs, status=status
    )


def _version(
    request: PageRequest, club: Club, house: HouseVariant, version: HouseVersion
) -> HttpResponse:
    card, problem = asked_card(Rules.from_json(version.rules), request.GET.get("seats"))
    newest, *earlier = versions = selectors.list_versions(house)
    crumbs = [layout.house_rules_link(club)]
    if version != newest:
        crumbs.append(layout.house_link(house))
    base = Rules.from_json(version.foundation, stored=True)
    rules = Rules.from_json(version.rules, stored=True)
    context = {
        "house": house,
        "version": version,
        "card": card,
        "problem": problem,
        "seats": card.tables,
        "base": variants().variant(version.base) if version.base in variants().ids else None,
        "options": sentences(differing(version.options, base, rules)),
        "changes": [
            (
                row,
                option_changes(before, row) if before else (),
                list(selectors.list_events_with(row)),
            )
            for row, before in zip_longest(versions, earlier)
        ],
        "newest": newest,
        "may_change": clubs.may_do(club, HOUSE_RULES_RIGHT),
    }
    status = REFUSED if problem else 200
    return render_club(
        request, "rules/house_version.html", club, context, crumbs=crumbs, status=status
    )


def option_changes(before: HouseVersion, after: HouseVersion) -> tuple[str, ...]:
    changes = []
    if before.base != after.base:
        changes.append(f"{before.base or '–'} → {after.base or '–'}")
    for name in {**before.options, **after.options}:
        if before.options.get(name) != after.options.get(name):
            values = f"{_value_text(before, name)} → {_value_text(after, name)}"
            changes.append(f"{option_label(name)}: {values}")
    return tuple(changes)


def _value_text(version: HouseVersion, name: str) -> str:
    rules = Rules.from_json(version.rules, stored=True)
    if name in version.options:
        return value_text(name, version.options[name], rules)
    before = Rules.from_json(version.foundation, stored=True)
    return _("default: %(value)s") % {"value": present_text(name, before)}


def _crumbs(house: HouseVariant) -> tuple[Link, ...]:
    return (layout.house_rules_link(house.club), layout.house_link(house))
