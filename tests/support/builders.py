"""An evening in three lines: `league(club)`, `table(event, …)`, `hand(game, 1, hearts, queen)`."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from django.contrib.auth.models import User
from django.utils import timezone

from tests.support.answers import Json
from tests.support.cast import NOW
from tests.support.seasons import assign_event, autumn_season
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, Season
from tournaments.models.hands import Game
from tournaments.models.standings import LedgerLine, OpeningValue, Publication
from tournaments.policy import Actor, command
from tournaments.selectors.standings.opening_values import get_opening_value
from tournaments.services.clubs.clubs import add_player
from tournaments.services.clubs.members import link_account
from tournaments.services.events.adjustments import add_line
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.events import create_event, move_event
from tournaments.services.events.opening_values import NewOpeningValue, add_opening_values
from tournaments.services.hands.record_entry import RecordedHand, record_entry
from tournaments.services.jobs.queue import record_heartbeat
from tournaments.services.operations import Operation
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.rounds.seating import seat_table

TESTS = command("tests")


def by_tests(now: datetime = NOW) -> Operation:
    """Return an operation of the tests themselves, at the moment at which they happen."""
    return Operation(TESTS, now)


def players(club: Club, *names: str) -> list[Player]:
    """Add people to the club's list; their ids are RL01, RL02 … as on the Riverside sheets."""
    start = Player.objects.filter(club=club).count()
    return [
        add_player(by_tests(), club, name=name, player_id=f"RL{start + n:02d}")
        for n, name in enumerate(names, start=1)
    ]


def pairs(event: Event, people: Sequence[Player]) -> None:
    """Let each two of the people, in their order, compete as a pair."""
    for at in range(0, len(people), 2):
        add_entrant(by_tests(), event, kind="pair", players=people[at : at + 2])


def penalize(
    event: Event,
    entrant: str,
    amount: str,
    reason: str,
    *,
    kind: str = "penalty",
    meeting: date | None = None,
    now: datetime = NOW,
) -> LedgerLine:
    return add_line(
        by_tests(now),
        event,
        entrant=entrant,
        kind=kind,
        amount=amount,
        reason=reason,
        meeting=meeting,
    )


def bring(
    event: Event,
    entrant: str,
    value: str,
    *,
    on: date = date(2025, 10, 2),
    reason: str = "The list on paper.",
    games: int = 1,
    hands: int = 4,
    penalty: str = "",
) -> OpeningValue:
    """Add what an entrant brings from before."""
    row = NewOpeningValue(entrant, on, value, games=games, hands=hands, penalty=penalty)
    added = add_opening_values(by_tests(), event, values=[row], reason=reason)
    return get_opening_value(event, added["first"])


def link(player: Player, user: User) -> None:
    link_account(by_tests(), player, user=user)


def league(
    club: Club,
    *,
    slug: str = "league",
    name: str = "League",
    variant: str = "hearts",
    length: str = "open",
    settings: Mapping[str, object] | None = None,
    visibility: str = "public",
) -> Event:
    own = {"length": length, "primary": "raw_per_hand", "mixed_raw": True, "tie_breaks": ()}
    return _opened(club, "league", slug, name, variant, {**own, **(settings or {})}, visibility)


def ladder(
    club: Club,
    *,
    slug: str = "ladder",
    name: str = "Ladder",
    variant: str = "hearts",
    rules: Mapping[str, object] | None = None,
    settings: Mapping[str, object] | None = None,
    visibility: str = "public",
) -> Event:
    """Make an open ladder of American Hearts; `rules` are those of the ladder that differ."""
    own = {"length": "open", "primary": "beaten_mean", "ladder": rules or {}}
    return _opened(club, "ladder", slug, name, variant, {**own, **(settings or {})}, visibility)


def _opened(
    club: Club, kind: str, slug: str, name: str, variant: str, settings: Json, visibility: str
) -> Event:
    event = create_event(
        by_tests(), club, slug=slug, name=name, kind=kind, variant=variant,
        settings=settings, visibility=visibility,
    )  # fmt: skip
    return move_event(by_tests(), event, to="open")


def worker_runs() -> None:
    record_heartbeat(name="celery@tests", now=timezone.now())


def finished(game: Game, points: Sequence[int] = (4, 1, 2, 6)) -> Game:
    """Play one hand at a table, each seat taking so many hearts and the last one the queen too,
    and end the game there."""
    hand(game, 1, points, len(points) - 1)
    Game.objects.filter(pk=game.pk).update(state="complete")
    game.refresh_from_db()
    return game


def publish_all(event: Event, *, now: datetime = NOW) -> Publication:
    """Publish an event's standings and then its ladder; returns the ladder's publication."""
    publish(event.pk, now=now)
    made = publish_ladder(event.pk, now=now)
    assert made is not None
    return made


def season(event: Event, *, slug: str = "autumn", name: str = "Autumn") -> Season:
    """Make a season with a table of its own over `event`, and publish both."""
    made = autumn_season(event.club, name=name, slug=slug)
    assign_event(event, made)
    publish(event.pk, now=NOW)
    publish_season(made.pk, now=NOW)
    return made


def table(
    event: Event,
    seated: Sequence[Player],
    *,
    round_number: int = 1,
    table_number: int = 1,
    on: date = date(2025, 11, 6),
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Game:
    return seat_table(
        by_tests(),
        event,
        round_number=round_number,
        table_number=table_number,
        players=seated,
        on=on,
        variant=variant,
        options=options,
        split_sides=True,
    )


def counts(hearts: Sequence[int], queen: int, **more: object) -> dict[str, object]:
    """Return a counts entry: hearts a seat, and the seat (from 0) that took the queen."""
    taken: list[list[str]] = [[] for _ in hearts]
    taken[queen] = ["QS"]
    return {"hearts": list(hearts), "taken": taken, **more}


def hand(
    game: Game,
    number: int,
    hearts: Sequence[int],
    queen: int,
    *,
    actor: Actor = TESTS,
    now: datetime = NOW,
    based_on: int | None = None,
    reason: str = "",
    key: str | None = None,
    **more: object,
) -> RecordedHand:
    """Enter a hand by counts; `more` joins the entry (slam_choice="others", …)."""
    return record_entry(
        Operation(actor, now),
        game,
        number=number,
        entry=counts(hearts, queen, **more),
        source="host",
        based_on=based_on,
        reason=reason,
        key=key,
    )
