"""Ladders of which the log is compared with the games."""

from collections.abc import Mapping
from datetime import date

from tests.support.builders import finished, ladder, publish_all, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.ladders import LadderMove, LadderState, RatingChange
from tournaments.services.events.events import entrant_for
from tournaments.services.jobs.enqueue import mark_changed


def opened(
    cast: Cast,
    people: list[Player],
    rules: Mapping[str, object] | None = None,
    slug: str = "ladder",
) -> Event:
    """A ladder on which everybody stands in the order of their ids."""
    event = ladder(cast.riverside, slug=slug, rules=rules)
    for place, player in enumerate(people, start=1):
        entrant = entrant_for(event=event, player=player)
        Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
    mark_changed(event=event, now=NOW)
    publish_all(event)
    return event


def opened_like(event: Event, people: list[Player]) -> Event:
    """Another ladder with the games of `event` as they are now, all there from the start."""
    other = ladder(event.club, slug=f"{event.slug}-again")
    for entrant in Entrant.objects.filter(event=event).order_by("pk"):
        player = next(person for person in people if person.player_id == entrant.code)
        made = entrant_for(event=other, player=player)
        Entrant.objects.filter(pk=made.pk).update(start_position=entrant.start_position)
    games = Game.objects.filter(event=event).order_by("table__round__number", "table__number")
    for game in games.select_related("table__round__meeting"):
        seated = game.table.seats.order_by("number").prefetch_related("sittings__player")
        round_ = game.table.round
        made_game = table(
            other, [seat.sittings.all()[0].player for seat in seated],
            round_number=round_.number, table_number=game.table.number,
            on=round_.meeting.date if round_.meeting else date(2025, 11, 6),
        )  # fmt: skip
        counting = game.hands.filter(number=1, state="accepted").select_related("entry").first()
        if counting is not None and counting.entry is not None:
            finished(made_game, counting.entry.typed["hearts"])
    publish_all(other)
    return other


def derived(event: Event) -> list[object]:
    """Everything that is derived of a ladder, without ids."""
    state = LadderState.objects.get(event=event)
    moves = LadderMove.objects.filter(event=event).order_by("number", "entrant__code")
    ratings = RatingChange.objects.filter(event=event).order_by("sequence", "entrant__code")
    return [
        (state.number, state.order, state.dropped, state.ratings),
        [*moves.values_list("number", "entrant__code", "before", "after", "on", "kind", "facts")],
        [*ratings.values_list("sequence", "entrant__code", "games", "before", "after")],
    ]
