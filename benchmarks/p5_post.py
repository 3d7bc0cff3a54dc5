"""P5: one hand over REST beside the rows it writes as one raw statement; small and large league."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.http import Application, Environ, environ
from benchmarks.large import double
from benchmarks.leagues import CLUB, NOW, SEED, bring_in, write_league
from benchmarks.measure import Figure, Goal, compared, once, say
from benchmarks.p6_standings import EVENT
from benchmarks.raw_hand import rows_of, write_hand
from benchmarks.sizes import Sizes
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round
from tournaments.policy import command
from tournaments.services.seating import seat_table
from tournaments.services.tokens import make_token

SMALL, TWIN = "small", "twin"
HANDS = 6
"""Hands a table, as in the leagues."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Post into the small league in turn with raw statements, then in turn with the large one."""
    file = write_league(
        folder / "small.csv", players=sizes.standings_players, hands=sizes.small_hands
    )
    for slug in (SMALL, TWIN):
        bring_in(file, slug)
    club = Club.objects.get(slug=CLUB)
    token = _token(club)
    application = Application()
    tables = -(-(sizes.posts + 2 * HANDS) // HANDS)
    mine, theirs = (_seated(club, slug, tables) for slug in (SMALL, TWIN))
    _post_hands(application, SMALL, mine, token, HANDS)
    yield from _beside_raw(application, mine[1:], theirs[1:], token, sizes)
    large = Event.objects.get(club=club, slug=EVENT)
    for number in range(sizes.doublings):
        say(f"doubling the large league, {number + 1} of {sizes.doublings}")
        double(large)
    yield from _beside_large(application, club, token, sizes)


def _token(club: Club) -> str:
    """Return a new host's token, which may enter hands and no more."""
    host = User.objects.create_user("host")
    Membership.objects.create(club=club, user=host, role="host")
    return make_token(actor=command("bench"), user=host, club=club, scope="enter", now=NOW)


def _seated(club: Club, slug: str, tables: int) -> list[Game]:
    """Seat so many tables of new rounds, with the same people at the same tables every time."""
    event = Event.objects.select_related("club").get(club=club, slug=slug)
    people = list(Player.objects.filter(club=club).order_by("player_id"))
    a_round = len(people) // 4
    last = Round.objects.filter(event=event).order_by("-number").values_list("number", flat=True)
    first = (last.first() or 0) + 1
    return [
        seat_table(
            actor=command("bench"),
            event=event,
            round_number=first + index // a_round,
            table_number=1 + index % a_round,
            players=people[4 * (index % a_round) : 4 * (index % a_round) + 4],
            now=NOW,
        )
        for index in range(tables)
    ]


def _requests(slug: str, games: Sequence[Game], token: str) -> Iterator[Environ]:
    """Yield the requests that enter hand after hand at table after table."""
    chance = Random(SEED)
    for game in games:
        path = f"/api/v1/clubs/{CLUB}/events/{slug}/tables/{game.table.code}/hands"
        for number in range(1, HANDS + 1):
            hearts = [0, 0, 0, 0]
            for _ in range(13):
                hearts[chance.randrange(4)] += 1
            taken: list[list[str]] = [[], [], [], []]
            taken[hearts.index(min(hearts))] = ["QS"]
            headers = {
                "authorization": f"Bearer {token}",
                "idempotency_key": f"{slug}-{game.pk}-{number}",
            }
            body = {"number": number, "entry": {"hearts": hearts, "taken": taken}}
            yield environ("POST", path, headers, body)


def _post_hands(
    application: Application, slug: str, games: Sequence[Game], token: str, number: int
) -> None:
    """Post some hands before anything is measured."""
    for request, _ in zip(_requests(slug, games, token), range(number), strict=False):
        application.must(201, request)


def _beside_raw(
    application: Application,
    mine: Sequence[Game],
    theirs: Sequence[Game],
    token: str,
    sizes: Sizes,
) -> Iterator[Figure]:
    """Post a hand, then write the rows that came of it, for the twin table, as one statement."""
    say("posting hands, and writing their rows")
    posted: list[float] = []
    raw: list[float] = []
    requests = list(_requests(SMALL, mine, token))
    for index, request in enumerate(requests[: sizes.posts]):
        posted.append(once(partial(application.must, 201, request)))
        game, twin = mine[index // HANDS], theirs[index // HANDS]
        hand = Hand.objects.select_related("game").get(game=game, number=1 + index % HANDS)
        raw.append(once(partial(write_hand, rows_of(hand, twin))))
    yield compared(
        "P5", f"POST of a hand, {len(posted)} in turn", posted, "the same rows as raw SQL", raw,
        Goal(5),
    )  # fmt: skip
    statements = _statements(application, requests[sizes.posts])
    yield Figure("P5", "statements of a POST", len(statements), "statements", goal=Goal(12))
    writing = [one for one in statements if not one.startswith("SELECT")]
    yield Figure("P5", "of these that write", len(writing), "statements")


def _statements(application: Application, request: Environ) -> list[str]:
    """Return what a POST asks of the database, BEGIN and COMMIT left out."""
    with CaptureQueriesContext(connection) as asked:
        application.must(201, request)
    texts = [one["sql"] for one in asked.captured_queries]
    return [text for text in texts if not text.startswith(("BEGIN", "COMMIT"))]


def _beside_large(
    application: Application, club: Club, token: str, sizes: Sizes
) -> Iterator[Figure]:
    large = Event.objects.get(club=club, slug=EVENT)
    hands = Hand.objects.filter(game__event=large).count()
    tables = -(-(sizes.posts + HANDS) // HANDS)
    say("posting hands into a small and a large league")
    seconds: list[list[float]] = []
    leagues = {SMALL: _seated(club, SMALL, tables), EVENT: _seated(club, EVENT, tables)}
    requests = [list(_requests(slug, games, token)) for slug, games in leagues.items()]
    for pair in zip(*requests, strict=True):
        seconds.append([once(partial(application.must, 201, one)) for one in pair])
    few, many = zip(*seconds[HANDS:], strict=True)
    name = f"POST into a league of {hands:,} hands"
    small = f"into one of {sizes.small_hands:,}"
    yield compared("P5", name, many, small, few, Goal(1.2))
