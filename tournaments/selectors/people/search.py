"""Search over clubs, players, events, evenings and games: each word begins a word of the name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, TypeAlias

from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.domain.name_matching import (
    each_begins,
    finds_player,
    is_same_name,
    sort_key,
    spellings,
    words_of,
)
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.events import players
from tournaments.selectors.events.players import SearchedClubs
from tournaments.selectors.rules.rule_sets import variants

Words: TypeAlias = Sequence[tuple[str, ...]]
SEARCH_KINDS: Final = ("club", "player", "event", "evening", "game")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A row that matches; `id` is unique among those of its kind, `url` its page."""

    kind: str
    id: str
    name: str
    note: str
    club: str
    club_name: str
    event: str
    url: str


def search_clubs(
    actor: Actor, text: str, club: Club | None
) -> tuple[Mapping[str, Sequence[SearchResult]], bool]:
    """Return the rows in a club, or in the clubs of the site, that match a text, by kind.

    Kinds without a row are left out. The second value says whether there are more clubs than are
    searched at once, so that of the others only the names were. At most six queries, however many
    rows there are; none for a text without letters and digits.
    """
    words = words_of(text)
    if not any(map(str.isalnum, text)):
        return {}, False
    if club:
        clubs = SearchedClubs((club,), (club,))
    else:
        clubs = players.searched_clubs(actor)
    by_kind = {
        "club": () if club else list(_clubs(clubs.every, words)),
        "player": list(_players(actor, clubs, words, text)),
        "event": list(_events(actor, clubs, words)),
        "evening": list(_evenings(actor, clubs, words)),
        "game": list(_games(clubs, words)),
    }
    is_partial = len(clubs.searched) < len(clubs.every)
    return {kind: rows for kind, rows in by_kind.items() if rows}, is_partial


def _result(
    kind: str, key: str, name: str, page: str, club: Club, note: str = "", event: str = ""
) -> SearchResult:
    address = [club.slug] if kind == "club" else [club.slug, key]
    url = reverse(f"tournaments:{page}", args=address)
    return SearchResult(kind, key, name, note, club.slug, club.name, event, url)


def _clubs(clubs: Sequence[Club], words: Words) -> Iterator[SearchResult]:
    for club in clubs:
        if each_begins(words, spellings(club.name)):
            yield _result("club", club.slug, club.name, "club", club)


def _players(actor: Actor, clubs: SearchedClubs, words: Words, text: str) -> Iterator[SearchResult]:
    whole = spellings(text)
    rows = []
    for club, player_id, name, nickname in players.searched_players(actor, clubs.searched):
        if finds_player(text, player_id, name, nickname):
            begins = any(way.startswith(whole) for way in spellings(name))
            order = (not is_same_name(name, text), not begins, sort_key(name), player_id)
            rows.append((order, name, club))
    for order, name, club in sorted(rows, key=itemgetter(0)):
        yield _result("player", order[-1], name, "player", clubs.by_key[club], order[-1])


def _events(actor: Actor, clubs: SearchedClubs, words: Words) -> Iterator[SearchResult]:
    for event in players.searched_events(actor, clubs.searched):
        season = event.season.name if event.season else ""
        if each_begins(words, spellings(f"{event.name} {season}")):
            page = "ladder" if event.is_ladder else "event"
            club = clubs.by_key[event.club_id]
            yield _result("event", event.slug, event.name, page, club, season, event.slug)


def _evenings(actor: Actor, clubs: SearchedClubs, words: Words) -> Iterator[SearchResult]:
    """Yield evenings by their date in words or figures, or by the number of a round.

    The name of an event only limits them.
    """
    for club_id, on, event, event_name, rounds in players.searched_evenings(actor, clubs.searched):
        day = on.isoformat()
        date_text = formats.date_format(on, "l j F Y")
        numbers = " ".join(map(str, rounds))
        dated = spellings(f"{day} {date_text} {numbers}".replace(",", " "))
        if not any(each_begins((word,), dated) for word in words):
            continue
        if each_begins(words, (*dated, *spellings(f"{event_name} {_('Round')}"))):
            club = clubs.by_key[club_id]
            url = f"{reverse('tournaments:meetings', args=(club.slug, event))}#{day}"
            if len(rounds) == 1:
                url = reverse("tournaments:round", args=(club.slug, event, rounds[0]))
            yield SearchResult(
                "evening", day, date_text, event_name, club.slug, club.name, event, url
            )


def _games(clubs: SearchedClubs, words: Words) -> Iterator[SearchResult]:
    for rules in players.searched_rules(clubs.searched):
        if each_begins(words, spellings(rules.name)):
            club = clubs.by_key[rules.club_id]
            yield _result("game", rules.slug, rules.name, "house-rule", club, _("House rules"))
    site = variants()
    for game in sorted((site.variant(key) for key in site.ids), key=lambda game: game.name):
        names = " ".join((game.name, *game.aliases)).replace("-", " ")
        if each_begins(words, spellings(names)):
            url = reverse("tournaments:variant", args=(game.id,))
            yield SearchResult("game", game.id, game.name, "", "", "", "", url)
