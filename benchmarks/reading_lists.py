"""A page of 50 rows of lists that grow, the first and the last one, beside the limit."""

import json
from collections.abc import Iterator

from django.core.signing import Signer

from benchmarks.http import Application, environ
from benchmarks.large import add_publications
from benchmarks.leagues import CLUB
from benchmarks.measure import Figure, Goal, compared, in_turn, many, say
from benchmarks.reading_standings import EVENT
from benchmarks.sizes import Sizes
from tournaments.models.clubs import Player

HOST = "http://127.0.0.1:8000"


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Measure the longest list that there is, and one whose rows people look through."""
    club = f"/api/v1/clubs/{CLUB}"
    say(f"adding {sizes.publications:,} publications")
    add_publications(EVENT, sizes.publications)
    # Number 51 is the last row before the last page, as the newest come first.
    last = _after(f"{club}/events/{EVENT}/publications", "51")
    yield from _list(sizes, "publications", sizes.publications, last)
    players = Player.objects.filter(club__slug=CLUB).order_by("-player_id")
    before = list(players.values_list("player_id", flat=True)[:51])[-1]
    yield from _list(sizes, "players", players.count(), _after(f"{club}/players", before))


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
