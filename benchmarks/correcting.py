"""Mending a hand beside entering one.

What is mended lies anywhere in a league that was played long ago, at tables of six hands; what is
new are the six hands of a table, one after the other.
"""

from collections.abc import Iterator
from functools import partial

from django.contrib.auth.models import User

from benchmarks.corrected import (
    REASON,
    at,
    edit,
    enter,
    some_entries,
    some_hands,
    void,
)
from benchmarks.http import Application, environ
from benchmarks.leagues import NOW, hands_of, seated
from benchmarks.measure import Figure, Goal, compared, once, say
from benchmarks.sizes import Sizes
from tournaments.models.clubs import Club, Membership
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.policy import command
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation

HANDS = 6
"""Hands a table, as in the leagues."""

FIRST = HANDS
"""Corrections of each kind before the measurement."""


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
