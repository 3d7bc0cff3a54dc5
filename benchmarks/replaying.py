"""Everything made again from the entries, beside a bare GROUP BY; and the same bytes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from django.db.models import Model
from django.utils import timezone

from benchmarks.corrected import hands_of_event
from benchmarks.counting_again import count_again
from benchmarks.measure import Figure, Goal, compared, once, say
from tournaments.models.events import Event
from tournaments.models.hands import Game, SeatScore
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.services.db.bulk import SUMS
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.rank_and_render import draft_standings, render_draft
from tournaments.services.verification.event import verify_event

Stored = Mapping[str, Sequence[tuple[Any, ...]]]
"""Derived rows by table, without their ids."""

FOLLOWS: Mapping[type[Model], tuple[str, ...]] = {
    SeatScore: ("entry__hand__game__event", "entry_id", "seat_id"),
    Contribution: ("event", "game_id", "entrant_id"),
    Aggregate: ("event", "entrant_id"),
    Game: ("event", "id"),
}
"""Tables that follow from the entries: how rows are found by event, and what orders them."""

OF_A_GAME = ("id", "state", "progress", "hands_counted")


def beside_group_by(rows: int, counted: Sequence[float], grouped: Sequence[float]) -> Figure:
    name = f"{rows:,} score rows made again from the entries and compared"
    return compared(
        "replay", name, counted, "SQL GROUP BY of their hands and points", grouped, Goal(3)
    )


def from_nothing(event: Event) -> Iterator[Figure]:
    """Delete all that follows from the entries, make it again, and compare every row and byte."""
    hands = hands_of_event(event)
    say(f"making {hands:,} hands again from nothing but their entries")
    publish(event.pk, now=timezone.now())
    count_again(event)
    before, served = stored(event), _served(event)
    if served != _made(event):
        raise AssertionError("what is served is not what the sums say")
    _take_away(event)
    seconds = once(partial(verify_event, event, repair=True, now=timezone.now(), report=say))
    after = stored(event)
    differing = sum(
        one != other
        for table, rows in before.items()
        for one, other in zip_longest(rows, after[table])
    )
    all_rows = sum(map(len, before.values()))
    name = f"{hands:,} hands made again from nothing but their entries"
    yield Figure("replay", f"{name}, once", seconds, "s")
    rate = Goal(1500, at_least=True)
    yield Figure("replay", f"{name}: how many", hands / seconds, "a second", goal=rate)
    yield Figure("replay", f"{name}: of {all_rows:,} rows differ", differing, "rows", goal=Goal(0))
    unlike = sum(one != other for one, other in zip(served, _made(event), strict=True))
    yield Figure("replay", f"{name}: bodies and CSV unlike", unlike, "files", goal=Goal(0))


def stored(event: Event) -> Stored:
    found = {}
    for model, (of_event, *order) in FOLLOWS.items():
        columns = OF_A_GAME if model is Game else tuple(
            field.attname for field in model._meta.concrete_fields if field.attname != "id"
        )  # fmt: skip
        rows = model._default_manager.filter(**{of_event: event}).order_by(*order)
        found[model._meta.db_table] = list(rows.values_list(*columns))
    return found


def _take_away(event: Event) -> None:
    SeatScore.objects.filter(entry__hand__game__event=event).delete()
    Contribution.objects.filter(event=event).delete()
    nothing = dict.fromkeys(SUMS, 0)
    Aggregate.objects.filter(event=event).update(**nothing, kept=None)
    Game.objects.filter(event=event).update(progress=None, hands_counted=0)


def _served(event: Event) -> tuple[bytes, bytes]:
    """Return the newest publication as it is served, without its head: body and CSV."""
    newest = Publication.objects.filter(event=event).latest("number")
    whole = bytes(newest.body)
    return b"{" + whole[whole.index(b"},") + len(b"},") :], bytes(newest.csv)


def _made(event: Event) -> tuple[bytes, bytes]:
    draft = render_draft(
        draft_standings(Event.objects.select_related("club", "season").get(pk=event.pk))
    )
    return draft.body, draft.csv
