"""Mending a hand beside entering one, and beside counting the whole league again.

What is mended lies anywhere in a league that was played long ago, at tables of six hands; what is
new are the six hands of a table, one after the other.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from time import perf_counter

from django.contrib.auth.models import User

from benchmarks.corrected import (
    REASON,
    at,
    edit,
    enter,
    hands_of_event,
    some_entries,
    some_hands,
    void,
)
from benchmarks.counting_again import count_again, group_by
from benchmarks.http import Application, environ
from benchmarks.leagues import NOW, hands_of, seated
from benchmarks.measure import Figure, Goal, Timed, compared, in_turn, once, say
from benchmarks.sizes import Sizes
from tournaments.models.clubs import Club, Membership
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.policy import command
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation

SEATS = 4
HANDS = 6
"""Hands a table, as in the leagues."""

FIRST = HANDS
"""Corrections of each kind before the measurement."""

AT_ONCE = 10
"""Corrections whose mean is set beside one count of the league."""


def beside_new_hands(event: Event, sizes: Sizes) -> Iterator[Figure]:
    """Enter, edit and void in turn, by the services, and enter and edit over REST."""
    number = FIRST + sizes.posts
    say("entering, editing and voiding hands in turn")
    tables = seated(event.club, event.slug, 2 * -(-number // HANDS))
    chosen = some_hands(event, 3 * number)
    entries = some_entries()
    application, token = Application(), _directors_token(event.club)
    seconds: list[list[float]] = []
    for index in range(number):
        table, place = divmod(index, HANDS)
        edited, voided, revised = (at(one) for one in chosen[3 * index : 3 * index + 3])
        new = [at(Hand(game=tables[2 * table + side])) for side in (0, 1)]
        body = {"entry": next(entries)}
        post = environ("POST", hands_of(new[1]), token, {**body, "number": place + 1})
        address = f"{hands_of(revised)}/{chosen[3 * index + 2].number}"
        headers = {**token, "if_match": f'"{chosen[3 * index + 2].revision}"'}
        put = environ("PUT", address, headers, {"entry": next(entries), "reason": REASON})
        seconds.append(
            [
                once(partial(enter, new[0], place + 1, next(entries))),
                once(partial(edit, edited, chosen[3 * index], next(entries))),
                once(partial(void, voided, chosen[3 * index + 1])),
                once(partial(application.must, 201, post)),
                once(partial(application.must, 200, put)),
            ]
        )
    entered, edits, voids, posts, puts = zip(*seconds[FIRST:], strict=True)
    many = f"{sizes.posts} in turn"
    bound = Goal(1.5)
    yield compared(
        "corrections", f"edit of a hand over REST, {many}", puts, "POST of a hand", posts, bound
    )
    service = "a new hand by the service"
    yield compared(
        "corrections", f"edit of a hand by the service, {many}", edits, service, entered, bound
    )
    yield compared(
        "corrections", f"void of a hand by the service, {many}", voids, service, entered, bound
    )


def _directors_token(club: Club) -> dict[str, str]:
    user = User.objects.create_user("mender")
    Membership.objects.create(club=club, user=user, role="director")
    token = make_token(Operation(command("bench"), NOW), club, user=user, scope="manage")
    return {"authorization": f"Bearer {token}"}


def beside_the_league(
    event: Event, sizes: Sizes, goal: Goal
) -> tuple[Sequence[Figure], Sequence[float], Sequence[float]]:
    """Edit hands in turn with counting their league again, by SQL and from the entries.

    Returns:
        The figures, and the seconds of each SQL GROUP BY and of each count from the entries.
    """
    hands = hands_of_event(event)
    entries = some_entries()
    chosen = iter(some_hands(event, sizes.repeats * AT_ONCE))

    def edits() -> float:
        ready = [(at(hand), hand, next(entries)) for hand in islice(chosen, AT_ONCE)]
        begun = perf_counter()
        for one in ready:
            edit(*one)
        return (perf_counter() - begun) / AT_ONCE

    ways: Sequence[Timed] = (
        edits,
        partial(once, partial(group_by, event)),
        partial(once, partial(count_again, event)),
    )
    edited, grouped, counted = in_turn(
        sizes.repeats, f"a correction and all of {hands:,} hands", *ways
    )
    rows = f"{SEATS * hands:,} score rows"
    figures = [
        compared(
            "corrections",
            f"all of {rows} counted again from the entries",
            counted,
            "edit of a hand",
            edited,
            goal,
        ),
        compared(
            "corrections",
            f"hands and points of {rows} by SQL GROUP BY",
            grouped,
            "edit of a hand",
            edited,
            None,
        ),
    ]
    return figures, grouped, counted
