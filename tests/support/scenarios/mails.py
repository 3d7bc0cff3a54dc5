"""Every kind of mail once, as the operations of people write it: `every_mail(cast)`."""

from datetime import time, timedelta

from django.contrib.auth.models import User
from django.test import Client

from tests.support import builders
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.scenarios.challenges import answer, issue, result, run_clock
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.playoffs import close
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.policy import Actor
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.clubs.invitations import invite
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import change_meeting, plan_meeting
from tournaments.services.rounds.rounds import move_round

DUE_SOON = NOW + timedelta(days=2, hours=6)


def give_addresses() -> None:
    for user in User.objects.all():
        User.objects.filter(pk=user.pk).update(email=f"{user.username}@riverside.example")


def link(cast: Cast, name: str, player: Player) -> Actor:
    builders.link(player, cast.users[name])
    return cast.actor(name)


def evening(cast: Cast) -> Game:
    event = league(cast.riverside, name="Autumn league")
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    link(cast, "piet", people[0])
    game = table(event, people)
    Round.objects.filter(event=event).update(state="draft")
    post(cast, event)
    hand(game, 1, [4, 1, 2, 6], 3)
    return game


def announced_evenings(cast: Cast) -> Event:
    """Three evenings: Piet is reminded of one, and comes to two that are moved and cancelled."""
    event = league(cast.riverside, slug="winter", name="Winter league")
    dirk, piet = cast.actor("dirk"), cast.actor("piet")
    evenings = {
        days: plan_meeting(
            Operation(dirk, NOW), event, day=NOW.date() + timedelta(days=days), at=time(19, 30),
            place="Hall",
        )
        for days in (4, 20, 30)
    }  # fmt: skip
    run_clock(event, NOW + timedelta(days=2))
    for days, changes in (
        (20, {"day": NOW.date() + timedelta(days=21)}),
        (30, {"state": "cancelled", "reason": "Flood in the hall."}),
    ):
        meeting = evenings[days]
        state_own_attendance(Operation(piet, NOW), meeting, state="expected")
        change_meeting(Operation(dirk, NOW), meeting, **changes)
    return event


def post(cast: Cast, event: Event) -> None:
    """Post the first round of an event."""
    round_ = Round.objects.get(event=event, number=1)
    move_round(cast.operation("dirk"), round_, to="posted")


def correct(cast: Cast, game: Game, name: str = "dirk") -> None:
    hand(game, 1, [3, 2, 2, 6], 3, actor=cast.actor(name), based_on=1, reason="The sheet says 3.")


def dispute(cast: Cast, game: Game) -> None:
    """Piet disputes hand 1, and the director decides."""
    open_dispute(cast.operation("piet"), game, number=1, words="I had 4.")
    rule_on_dispute(
        cast.operation("dirk"), get_dispute(game.event, 1), to="upheld",
        ruling="Two of the four remember it so.",
    )  # fmt: skip


def close_evening(cast: Cast, game: Game) -> None:
    round_ = game.table.round
    round_.refresh_from_db()
    close_tables(cast.operation("dirk"), round_)
    move_round(cast.operation("dirk"), round_, to="closed")
    publish(game.event_id, now=NOW)


def end(cast: Cast, game: Game) -> None:
    """Close an evening, and wait until its result is drawn and mailed."""
    close_evening(cast, game)
    work_on_evenings(game.event, NOW + timedelta(hours=1))


def challenges(cast: Cast) -> Event:
    """H challenges E, who accepts and loses; D challenges B, who does not answer."""
    event = ladder(cast, now=NOW)
    give_addresses()
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    issue(cast, event, "D", "B")
    run_clock(event, DUE_SOON)
    result(cast, event, "H", "HIE", now=DUE_SOON)
    return event


def every_mail(cast: Cast) -> None:
    give_addresses()
    game = evening(cast)
    correct(cast, game)
    dispute(cast, game)
    end(cast, game)
    announced_evenings(cast)
    challenges(cast)
    playoff(cast)
    invite(
        cast.operation("olga"),
        cast.riverside,
        role="player",
        player_id="RL03",
        email="ruth@elsewhere.example",
    )
    Client().post("/accounts/password/reset/", {"email": "olga@riverside.example"})


def playoff(cast: Cast) -> None:
    settings = {"boundaries": {"title": 1}, "playoff": "extra_hands"}
    event = league(cast.riverside, slug="cup", name="Autumn cup", settings=settings)
    people = players(cast.riverside, "Ada L.", "Bo R.", "Cy M.", "Di V.")
    link(cast, "hanna", people[0])
    hand(table(event, people), 1, [4, 4, 4, 1], 3)
    close(event)
