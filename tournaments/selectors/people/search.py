"""Search over clubs, players, events, evenings and games: each word begins a word of the name."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.domain.name_matching import each_begins, finds_player, letters_of
from tournaments.models.clubs import Club
from tournaments.models.events import EventKind
from tournaments.policy import Actor
from tournaments.selectors.events import searched_rows
from tournaments.selectors.events.searched_rows import SearchedClubs, SearchedEvening
from tournaments.selectors.rules.rule_sets import variants

KINDS: Final = ("club", "player", "event", "evening", "game")


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that was found; `id` is its own among those of its kind, `url` its page."""

    kind: str
    id: str
    name: str
    note: str
    club: str
    club_name: str
    event: str
    url: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found by kind, kinds without anything left out.

    `is_partial`: there are more clubs than are looked through at once; of the others only the
    names were.
    """

    found: Mapping[str, Sequence[Found]]
    is_partial: bool = False


def search_clubs(actor: Actor, text: str, club: Club | None = None) -> SearchResult:
    """Return what a text finds in a club, or in the clubs of the site.

    At most six queries, however many rows there are; none for a text without letters and digits.
    """
    words = letters_of(text).split()
    if not any(letter.isalnum() for word in words for letter in word):
        return SearchResult({})
    clubs = SearchedClubs((club,), (club,)) if club else searched_rows.searched_clubs(actor)
    look: Mapping[str, Callable[[], Iterable[Found]]] = {
        "club": lambda: () if club else _clubs(clubs.every, words),
        "player": lambda: _players(actor, clubs, words, text),
        "event": lambda: _events(actor, clubs, words),
        "evening": lambda: _evenings(actor, clubs, words),
        "game": lambda: _games(clubs, words),
    }
    found = {kind: tuple(look[kind]()) for kind in KINDS}
    is_partial = len(clubs.searched) < len(clubs.every)
    return SearchResult({kind: rows for kind, rows in found.items() if rows}, is_partial)


def _clubs(clubs: Sequence[Club], words: Sequence[str]) -> Iterator[Found]:
    for club in clubs:
        if each_begins(words, letters_of(club.name).split()):
            url = reverse("tournaments:club", args=(club.slug,))
            yield Found("club", club.slug, club.name, "", club.slug, club.name, "", url)


def _players(
    actor: Actor, clubs: SearchedClubs, words: Sequence[str], text: str
) -> Iterator[Found]:
    by_key, whole = clubs.by_key, " ".join(words)
    found = []
    for one in searched_rows.searched_players(actor, clubs.searched):
        if finds_player(text, one.player_id, one.name, one.nickname):
            name = letters_of(one.name)
            found.append(((name != whole, not name.startswith(whole), name, one.player_id), one))
    for _order, one in sorted(found, key=lambda pair: pair[0]):
        club = by_key[one.club]
        url = reverse("tournaments:player", args=(club.slug, one.player_id))
        yield Found("player", one.player_id, one.name, one.player_id, club.slug, club.name, "", url)


def _events(actor: Actor, clubs: SearchedClubs, words: Sequence[str]) -> Iterator[Found]:
    for event in searched_rows.searched_events(actor, clubs.searched):
        season = event.season.name if event.season else ""
        if each_begins(words, letters_of(f"{event.name} {season}").split()):
            club = clubs.by_key[event.club_id]
            page = "ladder" if event.kind == EventKind.LADDER else "event"
            url = reverse(f"tournaments:{page}", args=(club.slug, event.slug))
            yield Found(
                "event", event.slug, event.name, season, club.slug, club.name, event.slug, url
            )


def _evenings(actor: Actor, clubs: SearchedClubs, words: Sequence[str]) -> Iterator[Found]:
    """Yield evenings by their date in words or figures, or by the number of a round.

    The name of an event only limits them.
    """
    for searched_evening in searched_rows.searched_evenings(actor, clubs.searched):
        dated = _dated(searched_evening)
        if not any(each_begins((word,), dated) for word in words):
            continue
        further = letters_of(f"{searched_evening.event_name} {_('Round')}").split()
        if each_begins(words, (*dated, *further)):
            club = clubs.by_key[searched_evening.club]
            yield Found(
                kind="evening",
                id=searched_evening.date.isoformat(),
                name=formats.date_format(searched_evening.date, "l j F Y"),
                note=searched_evening.event_name,
                club=club.slug,
                club_name=club.name,
                event=searched_evening.event,
                url=_evening_url(club, searched_evening),
            )


def _dated(one: SearchedEvening) -> list[str]:
    """Return the words and figures of an evening's date, and the numbers of its rounds."""
    rounds = " ".join(map(str, one.rounds))
    dated = f"{one.date.isoformat()} {formats.date_format(one.date, 'l j F Y')} {rounds}"
    return letters_of(dated).replace(",", "").split()


def _evening_url(club: Club, one: SearchedEvening) -> str:
    """Return the page of an evening's one round, or its line in the list of evenings."""
    if len(one.rounds) == 1:
        return reverse("tournaments:round", args=(club.slug, one.event, one.rounds[0]))
    meetings = reverse("tournaments:meetings", args=(club.slug, one.event))
    return f"{meetings}#{one.date.isoformat()}"


def _games(clubs: SearchedClubs, words: Sequence[str]) -> Iterator[Found]:
    for rules in searched_rows.searched_rules(clubs.searched):
        if each_begins(words, letters_of(rules.name).split()):
            club = clubs.by_key[rules.club_id]
            url = reverse("tournaments:house-rule", args=(club.slug, rules.slug))
            note = _("House rules")
            yield Found("game", rules.slug, rules.name, note, club.slug, club.name, "", url)
    site = variants()
    named = sorted((site.variant(key) for key in site.ids), key=lambda game: game.name)
    for game in named:
        names = " ".join((game.name, *game.aliases)).replace("-", " ")
        if each_begins(words, letters_of(names).split()):
            url = reverse("tournaments:variant", args=(game.id,))
            yield Found("game", game.id, game.name, "", "", "", "", url)
