"""An event that is closed with a tie, and its play-off hand by hand: `tied(club, …)`, `play(…)`."""

import json
from collections.abc import Callable, Mapping, Sequence

from tests.support import builders
from tests.support.builders import TESTS, by_tests
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import playoffs_scope
from tournaments.models.playoffs import Playoff, PlayoffStep
from tournaments.models.rounds import Round, Sitting, Table
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.jobs.queue import get_version
from tournaments.selectors.playoffs.playoffs import PlayoffView, get_playoff
from tournaments.services.events.events import move_event
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.jobs.queue import finish_job
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs

LEVEL = {4: (4, 4, 4, 1), 2: (4, 4, 2, 3)}
"""Hearts of a hand after which three, or two, of four are tied for first place: the last has the
queen."""


def tied(club: Club, hearts: Sequence[int] = LEVEL[4], **settings: object) -> Event:
    event = builders.league(
        club, settings={"boundaries": {"title": 1}, "playoff": "extra_hands", **settings}
    )
    people = builders.players(club, *"ABCDEFGHIJK"[: len(hearts)])
    variant = "" if len(hearts) < 7 else "cancellation-hearts"
    game = builders.table(event, people, variant=variant)
    taken: list[list[str]] = [[] for _ in hearts[1:]] + [["QS"] if not variant else ["QS", "QS"]]
    record_entry(
        by_tests(), game, number=1, entry={"hearts": list(hearts), "taken": taken}, source="host"
    )
    close(event)
    return event


def close(event: Event) -> None:
    Game.objects.filter(event=event, counts=True, state="playing").update(state="complete")
    ordinary = Round.objects.filter(event=event).exclude(stage__kind="playoff")
    ordinary.update(state="closed")
    move_event(by_tests(), event, to="closed")
    look(event)


def look(event: Event) -> None:
    publish(event.pk, now=NOW)
    while schedule_playoffs(event.pk, now=NOW):
        publish(event.pk, now=NOW)
    scope = playoffs_scope(event.pk)
    finish_job(scope, get_version(scope), now=NOW)


def playing(event: Event, code: str = "") -> Game:
    """Return a table of a play-off: the newest, or the one with a code."""
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    games = games.filter(event=event, counts=False).order_by("-table__round__number")
    return games.filter(table__code=code)[0] if code else games[0]


def play(
    event: Event,
    number: int,
    scores: Mapping[str, int],
    *,
    code: str = "",
    actor: Actor = TESTS,
    based_on: int | None = None,
    reason: str = "",
) -> None:
    """Enter a hand of a play-off by the points of its members; any other seat has the rest.

    One of those with 13 points or more has taken the queen; with none of them a filler has. Who
    went home is passed over. Without a `code`, `number` counts the hands of the play-off, whatever
    table they were played at.
    """
    game = playing(event, code)
    if not code:
        steps = PlayoffStep.objects.filter(playoff__stage=game.table.round.stage_id, kind="hand")
        played = [step.hand for step in steps.select_related("hand").order_by("number")]
        if number <= len(played) and (hand := played[number - 1]):
            game = playing(event, Table.objects.get(game=hand.game_id).code)
            number = hand.number
        else:
            number = 1 + game.hands.count()
    sat = Sitting.objects.filter(seat__table=game.table_id).select_related("player", "seat")
    names = {one.player.name: one.seat.number - 1 for one in sat}
    scores = {name: count for name, count in scores.items() if name in names}
    seats = game.table.seats.count()
    points = [0] * seats
    for name, own in scores.items():
        points[names[name]] = own
    others = [seat for seat in range(seats) if seat not in [names[name] for name in scores]]
    packs = 2 if game.snapshot.variant == "cancellation-hearts" else 1
    if others:
        points[others[-1]] = 26 * packs - sum(points)
    queens = [seat for seat in range(seats) for _ in range(packs) if points[seat] >= 13][:packs]
    taken: list[list[str]] = [[] for _ in points]
    for seat in queens:
        taken[seat].append("QS")
        points[seat] -= 13
    record_entry(
        Operation(actor, NOW),
        game,
        number=number,
        entry={"hearts": points, "taken": taken},
        source="host",
        based_on=based_on,
        reason=reason,
    )


def direct(
    event: Event, operation: Callable[..., Playoff], number: int = 1, **more: object
) -> Playoff:
    return operation(by_tests(), event, number=number, **more)


def view(event: Event, number: int = 1) -> PlayoffView:
    return get_playoff(event, number, may_direct=True)


def standing(event: Event) -> Mapping[str, Mapping[str, object]]:
    body = Publication.objects.filter(event=event, ladder=None).order_by("-number")[0].body
    return {row["player"]: row for row in json.loads(bytes(body))["rows"]}


def order(event: Event) -> list[tuple[str, object, object]]:
    return [(name, row["rank"], row["decided_by"]) for name, row in standing(event).items()]


def statuses(event: Event, number: int = 1) -> str:
    return ", ".join(f"{member.player} {member.status}" for member in view(event, number).members)


def mend(event: Event, hearts: tuple[int, ...]) -> None:
    game = Hand.objects.filter(game__event=event, game__counts=True)[0].game
    builders.hand(
        game, 1, hearts, len(hearts) - 1, reason="wrong", based_on=_revision(game.pk)
    )  # fmt: skip
    look(event)


def _revision(game: int) -> int:
    return Hand.objects.get(game=game, number=1).revision


def finalised(cast: Cast) -> Event:
    event = tied(cast.riverside, (4, 4, 4, 1))
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    return move_event(by_tests(), event, to="final")
