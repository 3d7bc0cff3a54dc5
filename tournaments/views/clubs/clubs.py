"""Create a club, and the list of its people."""

import re
from collections.abc import Callable
from datetime import date
from importlib.resources import files
from operator import attrgetter
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.utils.functional import lazy
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from tournaments.documents.read.people_list import PastedPlayer, read_people
from tournaments.domain.name_matching import comma_parts, one_person
from tournaments.errors import Forbidden
from tournaments.models.clubs import Club
from tournaments.selectors.clubs import clubs, members
from tournaments.selectors.clubs.find_players import NamedPeople, NamedPerson
from tournaments.selectors.clubs.members import list_pending_claims
from tournaments.selectors.events.club_pages import club_set_up
from tournaments.selectors.events.players import ShownPlayer, listed_players
from tournaments.selectors.people.merges import find_possible_duplicates, list_pending_erasures
from tournaments.services.clubs.clubs import create_club
from tournaments.services.clubs.player_paste import (
    MOST_LINES,
    UndoneRoster,
    add_roster,
    plan_players,
    undo_roster,
)
from tournaments.services.operations import may_make_club
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page, club_page, form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to, render_club, render_site
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    gives,
    hidden_field,
    operation_of,
    posted,
    submit,
    text_field,
)


def zone_choices(stored: str = "") -> list[tuple[str, str | list[tuple[str, str]]]]:
    """Return the time zones of places by part of the world, UTC first; of former names `stored`."""
    table = (files("tzdata") / "zoneinfo" / "zone.tab").read_text(encoding="utf-8")
    zones = {line.split("\t")[2] for line in table.splitlines() if not line.startswith("#")}
    parts: dict[str, list[tuple[str, str]]] = {}
    for zone in sorted(zones | {stored}):
        part, _slash, place = zone.partition("/")
        if place:
            parts.setdefault(part, []).append((zone, place.replace("_", " ").replace("/", ", ")))
    is_other = stored != "UTC" and "/" not in stored
    return [("UTC", "UTC"), *([(stored, stored)] if stored and is_other else []), *parts.items()]


class ClubForm(ServiceForm):
    """The fields of a new club; only its name is required."""

    name = text_field(_("Name of the club"), autocomplete="organization")
    slug = text_field(
        _("Address on this site (optional)"),
        _(
            "Lowercase letters a to z, digits and hyphens. If empty, it is made from the name: "
            "“Café Łódź” becomes cafe-lodz."
        ),
        autocapitalize="none",
        spellcheck="false",
    )
    time_zone = forms.CharField(
        label=_("Time zone"),
        initial=lambda: settings.DEFAULT_TIME_ZONE,
        help_text=_(
            "Where the club meets. The dates of its evenings and the hours of its deadlines use "
            "this time zone. You can change it in the club settings."
        ),
        widget=forms.Select(
            choices=lazy(zone_choices, list)(), attrs={"data-zone-of-browser": True}
        ),
    )


class PastePlayersForm(ServiceForm):
    """The list as pasted, and what of it was seen before."""

    names = forms.CharField(
        label=_("Names, one per line"),
        strip=False,
        help_text=_(
            "You can write an id before or after the name: “RL24, Jörg S.” Without an id, the "
            "player gets the next free number. A mail address goes after the name: "
            "“Jörg S., joerg@club.example”. You can also paste a chat, or columns with a heading "
            "row such as “Family name; First name; Mail; Joined”. At most %(most)s lines: add a "
            "longer list in parts."
        )
        % {"most": MOST_LINES},
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
    )
    has_consent = forms.BooleanField(
        label=_("These people agreed to get mails at these addresses"),
        help_text=_(
            "Without this, mail addresses in the list are not stored. Only the person, directors "
            "and owners see an address."
        ),
    )
    seen = hidden_field()

    @gives("seen", "has_consent")
    def get_arguments(self) -> dict[str, object]:
        return {name: self.cleaned_data[name] for name in ("seen", "has_consent")}

    def clean_names(self) -> str:
        text: str = self.cleaned_data["names"]
        if not read_people(text):
            raise forms.ValidationError(_("Enter at least one name."))
        return text


def with_answer(text: str, answer: str) -> str:
    r"""Return a pasted text in which a line with a comma says what was chosen.

    Args:
        answer: `one:4` for one person in line 4, `several:4` for a line for each name. Others
            change nothing: `member:4:RL01` is who is meant in line 4, `namesake:4` somebody else.

    >>> with_answer("Anna\nRL07; Smith, John", "one:2")
    'Anna\nRL07; John Smith'
    >>> with_answer("Smith, John\nAnna", "several:1"), with_answer("RL07; Ann, Bo", "several:1")
    ('Smith\nJohn\nAnna', 'RL07; Ann\nBo')
    """
    choice, person = _answered(text, answer)
    if choice not in ("one", "several") or person is None:
        return text
    first, *others = [one_person(person.name)] if choice == "one" else comma_parts(person.name)
    lines = text.splitlines()
    at = person.line - 1
    written = r"\s*,\s*".join(re.escape(part.strip()) for part in person.name.split(","))
    lines[at : at + 1] = [re.sub(written, lambda _match: first, lines[at], count=1), *others]
    return "\n".join(lines)


def _answered(text: str, answer: str) -> tuple[str, PastedPlayer | None]:
    """Return the choice for a line, and the person of the line.

    An answer is `choice:line`, for a player of the club `member:line:code`.
    """
    choice, _colon, rest = answer.partition(":")
    number = rest.partition(":")[0]
    people = {str(person.line): person for person in read_people(text)}
    return choice, people.get(number)


@form_page((create_club, ClubForm))
def new_club(request: PageRequest) -> HttpResponse:
    if not may_make_club(request.actor):
        raise Forbidden("make_club")
    form = ClubForm(posted(request))
    club = submit(request, form, create_club)
    if club is not None:
        messages.success(
            request, gettext("%(name)s created. You are the owner.") % {"name": club.name}
        )
        return go_to("club", club)
    return render_site(request, "clubs/new_club.html", {"form": form}, form)


LONGEST_QUERY: Final = 120
PLAYERS_A_PAGE: Final = 50
_ORDERS: Final[dict[str, Callable[[ShownPlayer], Any]]] = {
    "name": attrgetter("sort_key", "player_id"),
    "id": attrgetter("player_id"),
    "joined": lambda player: player.joined or date.min,
}
_HEADS: Final = (("name", _("Name"), ""), ("id", _("Id"), ""), ("joined", _("Joined"), "p2"))
"""Columns of the list of players: key, text, and the width from which there is room for it."""


@club_page
def players(request: PageRequest, club: Club) -> HttpResponse:
    """Print the people of a club: all for its members, else those whose results one may read."""
    everybody = matching = listed_players(request.actor, club)
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    if query:
        by_id = {player.player_id: player for player in everybody}
        people = NamedPeople([NamedPerson(code, player.name) for code, player in by_id.items()])
        matching = tuple(by_id[person.player_id] for person in people.matching(query))
    sort = request.GET.get("sort", "")
    key = sort.removeprefix("-") if sort.removeprefix("-") in _ORDERS else "name"
    is_descending = sort == f"-{key}"
    rows = sorted(matching, key=_ORDERS[key], reverse=is_descending)
    aria = "descending" if is_descending else "ascending"
    context = {
        "n_players": len(everybody),
        "wanted": query,
        "n_found": len(rows),
        "players": Paginator(rows, PLAYERS_A_PAGE).get_page(request.GET.get("page")),
        "heads": [
            (text, css, f"-{of}" if of == key and not is_descending else of, aria * (of == key))
            for of, text, css in _HEADS
        ],
        "duplicates": find_possible_duplicates(club) if clubs.may_do(club, "merge_players") else (),
        "erasures": list_pending_erasures(club) if clubs.may_do(club, "erase_player") else (),
        "may_edit": clubs.may_do(club, "edit_players"),
        "claims": list_pending_claims(club),
    }
    return render_club(request, "clubs/players.html", club, context)


@club_form_page((add_roster, PastePlayersForm, "pasted"))
def add_players(request: PageRequest, club: Club) -> HttpResponse:
    return preview_players(request, club, request.POST.copy() if request.method == "POST" else None)


def preview_players(
    request: PageRequest, club: Club, data: QueryDict | None, also: JsonDict | None = None
) -> HttpResponse:
    """Show what each line of a list of people would add, or add them."""
    as_written = data.getlist("as_written") if data is not None else []
    namesakes = data.getlist("namesake") if data is not None else []
    members = data.getlist("member") if data is not None else []
    if data is not None and (answer := data.get("person", "")):
        choice, person = _answered(data.get("names", ""), answer)
        if person is not None and choice == "written":
            as_written.append(person.name)
        if person is not None and choice == "namesake":
            namesakes.append(person.key)
        if person is not None and choice == "member":
            members.append(f"{answer.split(':', 2)[-1]}/{person.key}")
        data["names"] = with_answer(data.get("names", ""), answer)
    form = PastePlayersForm(data)
    plan = None
    if form.is_valid():
        chosen = {key: code for code, _slash, key in (text.partition("/") for text in members)}
        pasted = read_people(form.cleaned_data["names"], as_written, namesakes, chosen)
        if "add" in form.data:
            line = submit(request, form, add_roster, club, pasted=pasted)
            if line is not None:
                return go_to("added-players", club, number=line.number)
        plan = plan_players(club, pasted, has_consent=form.cleaned_data["has_consent"])
        if "add" not in form.data:
            form.place(plan.problems)
    answers = {
        "as_written": dict.fromkeys(as_written),
        "namesakes": dict.fromkeys(namesakes),
        "members": dict.fromkeys(members),
    }
    context = {"form": form, "plan": plan, **answers, **(also or {})}
    crumbs = (layout.players_link(club),)
    return render_club(request, "clubs/add_players.html", club, context, form, crumbs=crumbs)


@club_form_page(undo_roster)
def added_players(request: PageRequest, club: Club, number: int) -> HttpResponse:
    line = members.get_pasted_line(club, number)
    if request.method == "POST":
        with RefusalMessages(request):
            undone = undo_roster(operation_of(request), line)
            messages.success(request, _undone_message(undone))
        return go_to("added-players", club, number=number)
    players = members.list_pasted_players(line)
    is_undone = members.is_undone(line)
    addresses = line.facts.get("addresses", ())
    n_to_delete = members.pasted_addresses(line).count()
    context = {
        "number": number,
        "n_added": len(line.facts["rows"]),
        "n_addresses": len(addresses),
        "players": players,
        "is_undone": is_undone,
        "n_to_delete": n_to_delete,
        "may_undo": bool(players or n_to_delete) and not is_undone,
        "asks_for_event": clubs.may_do(club, "create_event")
        and club_set_up(club)["next_step"] == "event",
        "may_invite": clubs.may_do(club, "manage_members"),
        "may_make_links": clubs.may_do(club, "manage_contacts"),
    }
    crumbs = (layout.players_link(club),)
    return render_club(request, "clubs/added_players.html", club, context, crumbs=crumbs)


def _undone_message(undone: UndoneRoster) -> str:
    sentences = []
    if n := len(undone.removed):
        players = ngettext(
            "%(n)s player removed from the list.", "%(n)s players removed from the list.", n
        )
        sentences.append(players % {"n": n})
    if undone.addresses:
        addresses = ngettext(
            "%(n)s mail address deleted.", "%(n)s mail addresses deleted.", undone.addresses
        )
        sentences.append(addresses % {"n": undone.addresses})
    if undone.kept:
        stay = gettext("Players who have been seated since then stay on the list: %(ids)s.")
        sentences.append(stay % {"ids": ", ".join(undone.kept)})
    return " ".join(sentences) or gettext("There was nothing left to remove.")
