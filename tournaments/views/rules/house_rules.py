"""A club's house rules as everybody reads them: the list, a version, what changed between two."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from scoring.rules.rules import Rules
from tournaments.documents.rule_files import MEDIA_TYPE, rule_file
from tournaments.domain.option_text import (
    differing,
    option_label,
    present_text,
    sentences,
    value_text,
)
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.variants import HouseVariant, HouseVersion
from tournaments.selectors.clubs import clubs
from tournaments.selectors.rules import house_rules as selectors
from tournaments.selectors.rules.rule_sets import variants
from tournaments.selectors.rules.rules_cards import asked_card, comparison
from tournaments.services.rules.house_rules import ACT
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.rules.edit_house_rules import VersionsForm


@dataclass(frozen=True, slots=True)
class VersionChange:
    """One version in the list: what its options changed, and the events that play it."""

    version: HouseVersion
    changed: tuple[str, ...]
    events: tuple[Event, ...]


@page("read_public")
def house_rules_list(request: PageRequest, club: str) -> HttpResponse:
    """Print the club's house rules, each with its newest version."""
    current_club = clubs.get_club(request.actor, club)
    own = [
        (house_variant, selectors.newest(house_variant))
        for house_variant in selectors.house_rules_of(current_club)
    ]
    context = {
        "layout": layout.club_layout(request, current_club, (layout.club_link(current_club),)),
        "club": current_club,
        "offered": [pair for pair in own if not pair[0].is_archived],
        "archived": [pair for pair in own if pair[0].is_archived],
        "may_change": clubs.may_do(current_club, ACT),
    }
    return render(request, "rules/house_rules.html", context)


@page("read_public")
def house(request: PageRequest, club: str, slug: str) -> HttpResponse:
    """Print the newest version of house rules, and the list of all."""
    current_club = clubs.get_club(request.actor, club)
    house_variant = selectors.get_house_rules(current_club, slug)
    return _version(request, current_club, house_variant, selectors.newest(house_variant))


@page("read_public")
def to_house(request: PageRequest, club: str, slug: str) -> HttpResponse:
    """Send to the list of versions, which stands with the newest."""
    clubs.get_club(request.actor, club)
    return redirect("tournaments:house-rule", club=club, slug=slug)


@page("read_public")
def version(request: PageRequest, club: str, slug: str, number: int) -> HttpResponse:
    """Print one version of house rules."""
    current_club = clubs.get_club(request.actor, club)
    house_variant = selectors.get_house_rules(current_club, slug)
    return _version(
        request, current_club, house_variant, selectors.get_version_at(house_variant, number)
    )


@page("read_public")
def version_file(request: PageRequest, club: str, slug: str, number: int) -> HttpResponse:
    """Answer with a version as a TOML file, which the scorer and an upload take."""
    house_variant = selectors.get_house_rules(clubs.get_club(request.actor, club), slug)
    text = rule_file(selectors.get_version_at(house_variant, number), variants())
    response = HttpResponse(text, content_type=f"{MEDIA_TYPE}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{house_variant.slug}.toml"'
    return response


@page("read_public")
def difference(request: PageRequest, club: str, slug: str) -> HttpResponse:
    """Print what two versions say, side by side; the newest and the one before it, unless asked."""
    current_club = clubs.get_club(request.actor, club)
    house_variant = selectors.get_house_rules(current_club, slug)
    numbers = [house_version.number for house_version in selectors.list_versions(house_variant)]
    form = VersionsForm(request.GET or None)
    left, right = (numbers[1:2] or numbers[:1])[0], numbers[0]
    if form.is_valid():
        left, right = form.cleaned_data["left"], form.cleaned_data["right"]
    before, after = (
        selectors.get_version_at(house_variant, left),
        selectors.get_version_at(house_variant, right),
    )
    both = comparison(Rules.from_json(before.rules), Rules.from_json(after.rules))
    context = {
        "layout": layout.club_layout(request, current_club, _crumbs(house_variant)),
        "club": current_club,
        "house": house_variant,
        "before": before,
        "after": after,
        "versions": sorted(numbers),
        "options": option_changes(before, after),
        "changed": [
            (subject.heading, pair)
            for subject in both.subjects
            for pair in subject.pairs
            if not pair.is_same
        ],
        "alike": both.n_same,
    }
    return render(request, "rules/house_difference.html", context)


@page("read_public")
def version_card(request: PageRequest, club: str, slug: str, number: int) -> HttpResponse:
    """Print the rules card of a version, as it hangs beside the tables."""
    current_club = clubs.get_club(request.actor, club)
    house_variant = selectors.get_house_rules(current_club, slug)
    house_version = selectors.get_version_at(house_variant, number)
    card, why = asked_card(Rules.from_json(house_version.rules), request.GET.get("seats"))
    context = {
        "layout": layout.club_layout(request, current_club, _crumbs(house_variant)),
        "club": current_club,
        "house": house_variant,
        "version": house_version,
        "card": card,
        "why": why,
    }
    return render(request, "rules/house_card.html", context, status=REFUSED if why else 200)


def _version(
    request: PageRequest, club: Club, own: HouseVariant, shown: HouseVersion
) -> HttpResponse:
    card, problem = asked_card(Rules.from_json(shown.rules), request.GET.get("seats"))
    kept = list(selectors.list_versions(own))
    crumbs = [layout.club_link(club), layout.house_rules_link(club)]
    if shown != kept[0]:
        crumbs.append(layout.house_link(own))
    context = {
        "layout": layout.club_layout(request, club, crumbs),
        "club": club,
        "house": own,
        "version": shown,
        "card": card,
        "problem": problem,
        "seats": card.tables,
        "base": variants().variant(shown.base) if shown.base in variants().ids else None,
        "options": chosen_in_words(shown),
        "changes": _changes(kept),
        "newest": kept[0],
        "may_change": clubs.may_do(club, ACT),
    }
    status = REFUSED if problem else 200
    return render(request, "rules/house_version.html", context, status=status)


def _changes(kept: Sequence[HouseVersion]) -> list[VersionChange]:
    before = {one.number: earlier for one, earlier in pairwise(kept)}
    return [
        VersionChange(
            one,
            option_changes(before[one.number], one) if one.number in before else (),
            tuple(selectors.list_events_with(one)),
        )
        for one in kept
    ]


def option_changes(before: HouseVersion, after: HouseVersion) -> tuple[str, ...]:
    """Return each option that differs between two versions, as a few words."""
    names = [*before.options, *(name for name in after.options if name not in before.options)]
    notice = []
    if before.base != after.base:
        notice.append(f"{before.base or '–'} → {after.base or '–'}")
    for name in names:
        old, new = before.options.get(name), after.options.get(name)
        if old != new:
            label = option_label(name)
            notice.append(f"{label}: {_shown(before, name)} → {_shown(after, name)}")
    return tuple(notice)


def _shown(version: HouseVersion, name: str) -> str:
    rules = Rules.from_json(version.rules, stored=True)
    if name in version.options:
        return value_text(name, version.options[name], rules)
    before = Rules.from_json(version.foundation, stored=True)
    return _("default: %(value)s") % {"value": present_text(name, before)}


def chosen_in_words(version: HouseVersion) -> tuple[str, ...]:
    """Return the options of a version that differ from the rules that it began with."""
    base = Rules.from_json(version.foundation, stored=True)
    rules = Rules.from_json(version.rules, stored=True)
    return sentences(differing(version.options, base, rules))


def _crumbs(own: HouseVariant) -> tuple[Link, ...]:
    club = own.club
    return (layout.club_link(club), layout.house_rules_link(club), layout.house_link(own))
