"""A ladder in one line: `ladder(cast, "ABCDEFGHIJ")`, and what happens on it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from tests.support.builders import by_tests, finished, link, publish_all, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.policy import Actor
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.selectors.ladders.log import current_ladder
from tournaments.services.clubs.clubs import add_player
from tournaments.services.events.events import create_event, entrant_for, move_event
from tournaments.services.ladders.challenges import answer_challenge, issue_challenge
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.members import report_absence
from tournaments.services.operations import Operation


def ladder(
    cast: Cast,
    members: str = "ABCDEFGHIJ",
    *,
    now: datetime,
    slug: str = "ladder",
    variant: str = "hearts",
    length: str = "open",
    **rules: object,
) -> Event:
    """Make an open ladder with these members from the top, each a player of Riverside by the code.

    Each has an account of the same name in small letters, with the role of a player.
    """
    club = cast.riverside
    event = create_event(
        by_tests(now), club, slug=slug, name="Ladder", variant=variant, kind="ladder",
        settings={"length": length, "primary": "placement_points", "ladder": rules},
    )  # fmt: skip
    for place, code in enumerate(members, start=1):
        player = add_player(by_tests(now), club, name=f"Member {code}", player_id=code)
        user = User.objects.create_user(code.lower())
        cast.users[code] = user
        link(player, user)
        entrant = entrant_for(event=event, player=player)
        Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
    event = move_event(by_tests(now), event, to="open")
    sync_log(event, now)
    return event


def seated(event: Event, codes: str, **where: Any) -> Game:
    """Seat members at a table, by their letters in the order of the seats."""
    return table(event, [Player.objects.get(player_id=code) for code in codes], **where)


def order(event: Event) -> str:
    return "".join(current_ladder(event).order)


def member(cast: Cast, code: str) -> Actor:
    return Actor("user", user_id=cast.users[code].pk, name=f"Member {code}")


def totals(*codes: str) -> Mapping[str, object]:
    """Return totals that these finish with in this order; the last has what hands of 26 leave."""
    points = [10 * place for place in range(1, len(codes) + 1)]
    return dict(zip(codes, [*points[:-1], points[-1] - sum(points) % -26], strict=True))


def climbing(cast: Cast, *, now: datetime = NOW) -> Event:
    """A ladder of ten with everything on it: a table, a challenge that is accepted (1), one that
    was declined (2), one that waits (3), an absence; published."""
    event = ladder(cast, now=now)
    finished(seated(event, "GHIJ"))
    for number, (low, high) in enumerate((("E", "C"), ("D", "B"), ("J", "H")), start=1):
        issue_challenge(Operation(member(cast, low), now), event, challenged=high)
        if number < 3:
            to = "accepted" if number == 1 else "declined"
            actor = member(cast, high)
            answer_challenge(Operation(actor, now), challenge_at(event, number), to=to)
    report_absence(by_tests(now), event, player_id="F", since=now.date())
    publish_all(event, now=now)
    return event
