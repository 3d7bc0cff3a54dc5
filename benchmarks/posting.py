"""One hand over REST beside the rows it writes as one raw statement; small and large league.

It is posted with a host's token, and again with what the holder of its table's link sends.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.http import Application, Environ, environ
from benchmarks.large import double
from benchmarks.leagues import (
    CLUB,
    NOW,
    SEED,
    bring_in,
    hands_of,
    seated,
    token_of,
    write_league,
)
from benchmarks.links import opened
from benchmarks.measure import Figure, Goal, compared, once, say
from benchmarks.raw_hand import rows_of, write_hand
from benchmarks.reading_standings import EVENT
from benchmarks.sizes import Sizes
from tournaments.models.clubs import Club, Membership
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.policy import command
from tournaments.services.access.tokens import make_token

SMALL, TWIN = "small", "twin"
HANDS = 6
"""Hands a table, as in the leagues."""

Caller = Callable[[Game], Mapping[str, str]]
"""Gives the headers that say who posts the hands of a game."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Post into the small league in turn with raw statements, then in turn with the large one."""
    file = write_league(
        folder / "small.csv", players=sizes.standings_players, hands=sizes.small_hands
    )
    for slug in (SMALL, TWIN):
        bring_in(file, slug)
    club = Club.objects.get(slug=CLUB)
    application = Application()
    host, holder = _by_token(club), _by_link(application)
    yield from _beside_raw(application, club, host, sizes)
    yield from _beside_raw(application, club, holder, sizes, how=" with a table's link")
    large = Event.objects.get(club=club, slug=EVENT)
    for number in range(sizes.doublings):
        say(f"doubling the large league, {number + 1} of {sizes.doublings}")
        double(large)
    yield from _beside_large(application, club, host, sizes)


def _by_token(club: Club) -> Caller:
    """Return a new host with a token, which may enter hands and no more."""
    host = User.objects.create_user("host")
    Membership.objects.create(club=club, user=host, role="host")
    token = make_token(actor=command("bench"), user=host, club=club, scope="enter", now=NOW)
    return lambda game: {"authorization": f"Bearer {token}"}


def _by_link(application: Application) -> Caller:
    """Return whoever holds a table's link, which they open here: a signed cookie and CSRF's two."""
    return lambda game: opened(
        lambda path, headers: application.get(path, **headers).cookies, token_of(game)
    )


def _requests(games: Sequence[Game], caller: Caller) -> Iterator[Environ]:
    """Yield the requests that enter hand after hand at table after table."""
    chance = Random(SEED)
    for game in games:
        shown = caller(game)
        for number in range(1, HANDS + 1):
            hearts = [0, 0, 0, 0]
            for _ in range(13):
                hearts[chance.randrange(4)] += 1
            taken: list[list[str]] = [[], [], [], []]
            taken[hearts.index(min(hearts))] = ["QS"]
            headers = {**shown, "idempotency_key": f"{game.pk}-{number}"}
            body = {"number": number, "entry": {"hearts": hearts, "taken": taken}}
            yield environ("POST", hands_of(game), headers, body)


def _beside_raw(
    application: Application, club: Club, caller: Caller, sizes: Sizes, how: str = ""
) -> Iterator[Figure]:
    """Post a hand, then write the rows that came of it, for the twin table, as one statement.

    The hands of a first table come before anything is measured.
    """
    say(f"posting hands{how}, and writing their rows")
    tables = -(-(sizes.posts + 2 * HANDS) // HANDS)
    first, *mine = seated(club, SMALL, tables)
    _, *theirs = seated(club, TWIN, tables)
    for request in _requests([first], caller):
        application.must(201, request)
    posted: list[float] = []
    raw: list[float] = []
    requests = list(_requests(mine, caller))
    for index, request in enumerate(requests[: sizes.posts]):
        posted.append(once(partial(application.must, 201, request)))
        game, twin = mine[index // HANDS], theirs[index // HANDS]
        hand = Hand.objects.select_related("game").get(game=game, number=1 + index % HANDS)
        raw.append(once(partial(write_hand, rows_of(hand, twin))))
    yield compared(
        "posting a hand",
        f"POST of a hand{how}, {len(posted)} in turn",
        posted,
        "the same rows as raw SQL",
        raw,
        Goal(5),
    )
    statements = _statements(application, requests[sizes.posts])
    yield Figure(
        "posting a hand", f"statements of a POST{how}", len(statements), "statements", goal=Goal(12)
    )
    writing = [one for one in statements if not one.startswith("SELECT")]
    yield Figure("posting a hand", f"of these that write{how}", len(writing), "statements")


def _statements(application: Application, request: Environ) -> list[str]:
    """Return what a POST asks of the database, BEGIN and COMMIT left out."""
    with CaptureQueriesContext(connection) as asked:
        application.must(201, request)
    texts = [one["sql"] for one in asked.captured_queries]
    return [text for text in texts if not text.startswith(("BEGIN", "COMMIT"))]


def _beside_large(
    application: Application, club: Club, caller: Caller, sizes: Sizes
) -> Iterator[Figure]:
    large = Event.objects.get(club=club, slug=EVENT)
    hands = Hand.objects.filter(game__event=large).count()
    tables = -(-(sizes.posts + HANDS) // HANDS)
    say("posting hands into a small and a large league")
    requests = [list(_requests(seated(club, slug, tables), caller)) for slug in (SMALL, EVENT)]
    seconds = [
        [once(partial(application.must, 201, one)) for one in pair]
        for pair in zip(*requests, strict=True)
    ]
    few, many = zip(*seconds[HANDS:], strict=True)
    name = f"POST into a league of {hands:,} hands"
    small = f"into one of {sizes.small_hands:,}"
    yield compared("posting a hand", name, many, small, few, Goal(1.2))
