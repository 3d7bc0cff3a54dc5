"""A page of 50 rows of lists that grow, the first and the last one, beside the limit."""

import json
from collections.abc import Iterator

from django.core.signing import Signer

from benchmarks.http import Application, environ
from benchmarks.leagues import CLUB, add_publications
from benchmarks.measure import Figure, Goal, compared, in_turn, many, say
from benchmarks.reading_standings import EVENT
from benchmarks.sizes import Sizes
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.selectors.hands.event_hands import event_hands

HOST = "http://127.0.0.1:8000"


def figures(sizes: Sizes) -> Iterator[Figure]:
    club = f"/api/v1/clubs/{CLUB}"
    say(f"adding {sizes.publications:,} publications")
    add_publications(EVENT, sizes.publications)
    # Number 51 is the last row before the last page, as the newest come first.
    last = _after(f"{club}/events/{EVENT}/publications", "51")
    yield from _list(sizes, "publications", sizes.publications, last)
    players = Player.objects.filter(club__slug=CLUB).order_by("-player_id")
    before = list(players.values_list("player_id", flat=True)[:51])[-1]
    yield from _list(sizes, "players", players.count(), _after(f"{club}/players", before))
    yield from _hands(sizes, f"{club}/events/{EVENT}/hands")


def _hands(sizes: Sizes, path: str) -> Iterator[Figure]:
    """Compare the last page of an event's hands with the first one."""
    event = Event.objects.select_related("club").get(club__slug=CLUB, slug=EVENT)
    number = Hand.objects.filter(game__event=event).count()
    before = list(event_hands(event).rows.order_by("-place")[50:51])
    if not before:
        say(f"{number} hands are one page")
        return
    application = Application()
    last = _after(path, str(before[0]["place"]))
    head, tail = in_turn(
        sizes.repeats,
        "reading pages of hands",
        many(sizes.reads, lambda: application.must(200, environ("GET", path))),
        many(sizes.reads, lambda: application.must(200, environ("GET", last))),
    )
    name = f"last page, 50 of {number:,} hands"
    yield compared("lists", name, tail, "its first page", head, Goal(1.3))


def _after(path: str, position: str) -> str:
    """Return the address of the page after the row at `position`, as the list itself makes it."""
    return f"{path}?cursor={Signer(salt=path).sign_object([0, False, position])}"


def _list(sizes: Sizes, what: str, rows: int, last: str) -> Iterator[Figure]:
    application = Application()
    first = last.partition("?")[0]
    answer = application.must(200, environ("GET", first))
    end = json.loads(application.must(200, environ("GET", last)).body)
    if end["next"] is not None:
        raise AssertionError(f"the last page of {what} is not the last: {end['next']}")
    limit = f"/bench/bytes/{len(answer.body)}"
    head, tail, bytes_ = in_turn(
        sizes.repeats,
        f"reading pages of {what}",
        many(sizes.reads, lambda: application.get(first)),
        many(sizes.reads, lambda: application.get(last)),
        many(sizes.reads, lambda: application.get(limit)),
    )
    of = f"50 of {rows:,} {what}"
    yield compared("lists", f"first page, {of}", head, "bytes from memory", bytes_, Goal(6))
    yield compared("lists", f"last page, {of}", tail, "bytes from memory", bytes_, Goal(6))
    yield compared("lists", f"last page, {of}", tail, "its first page", head, Goal(1.3))
