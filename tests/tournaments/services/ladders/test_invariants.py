"""Whatever happens to a ladder, its list is a permutation of its members and a replay's result."""

import itertools
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from scoring.ladders.positions import replay
from tests.support.builders import by_tests, hand, ladder, players, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.lengths import short_or_long
from tests.support.scenarios.ladder_logs import derived, opened_like
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game, Hand
from tournaments.models.ladders import LadderMove, LadderState, RatingChange
from tournaments.models.standings import Publication
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.ladders.log import events_of
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.ladders.members import move_entrant
from tournaments.services.publishing import ladder_positions
from tournaments.services.verification.event import verify_ladder

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NAMES = ("Anna", "Bert", "Cora", "Dora", "Emil", "Fred", "Gerd", "Hans")
SLUGS = itertools.count(1)
FEW = settings(
    max_examples=short_or_long(6, 12),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


@pytest.fixture
def few_games_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games have one digest, so that a handful of games has several."""
    monkeypatch.setattr(ladder_positions, "BLOCK", 2)


def hearts() -> st.SearchStrategy[list[int]]:
    return st.permutations([1, 2, 4, 6]) | st.just([4, 4, 2, 3])


def operations() -> st.SearchStrategy[list[tuple[str, int, list[int] | None]]]:
    """What happens: to which table or to whom, and how it was typed."""
    return st.lists(
        st.tuples(
            st.sampled_from(["enter", "enter", "correct", "void"]), st.integers(0, 5), hearts()
        )
        | st.tuples(st.sampled_from(["withdraw", "return"]), st.integers(0, 7), st.none()),
        min_size=3,
        max_size=9,
    )


def seatings() -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.permutations(range(8)), min_size=3, max_size=3)


def laid(cast: Cast, people: Sequence[Player], seats: list[list[int]], **rules: object) -> Event:
    """A ladder with six tables, at which nothing has been played."""
    event = ladder(cast.riverside, slug=f"ladder-{next(SLUGS)}", rules=rules)
    for place, player in enumerate(people[:5], start=1):
        entrant = entrant_for(event=event, player=player)
        Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
    for number, order in enumerate(seats, start=1):
        day = date(2025, 11, 6) + timedelta(days=7 * (number // 2))
        for at in (0, 1):
            seated = [people[one] for one in order[4 * at : 4 * at + 4]]
            table(event, seated, round_number=number, table_number=at + 1, on=day)
    return event


def happen(event: Event, operation: str, at: int, hearts: Sequence[int] | None) -> None:
    """Do one thing, where it can be done; what cannot is left."""
    if operation in ("withdraw", "return"):
        entrant = Entrant.objects.filter(event=event).order_by("code")[at]
        to = "withdrawn" if operation == "withdraw" else "active"
        if entrant.state != to:
            move_entrant(by_tests(), get_entrant(event, entrant.code), to=to, reason="asked for")
        return
    game = Game.objects.filter(event=event).order_by("table__round__number", "table__number")[at]
    there = Hand.objects.filter(game=game, number=1).first()
    if operation == "enter" and hearts and there is None:
        hand(game, 1, hearts, 3)
    elif operation == "correct" and hearts and there is not None and there.state == "accepted":
        hand(game, 1, hearts, 3, based_on=there.revision, reason="read again")
    elif operation == "void" and there is not None and there.state == "accepted":
        void_hand(by_tests(), game, number=1, based_on=there.revision, reason="wrong")
    else:
        return
    Game.objects.filter(pk=game.pk).update(state="complete")


def verified(event: Event, *, repair: bool = False) -> tuple[str, dict[str, int]]:
    """How the stored ladder compares: its publication, and how many rows differ."""
    found = verify_ladder(event, repair=repair, now=NOW)
    return found.publication, dict(found.counts)


@pytest.mark.parametrize("rules", [{}, {"rating": "plackett_luce"}], ids=["elo", "plackett-luce"])
def test_stored_list_is_a_permutation_and_all_rows_are_a_replays(
    cast: Cast, people: list[Player], rules: dict[str, str], few_games_a_block: None
) -> None:
    @FEW
    @given(seatings(), operations())
    def run(seats: list[list[int]], done: list[tuple[str, int, list[int] | None]]) -> None:
        with transaction.atomic():
            event = laid(cast, people, seats, **rules)
            publish_all(event)
            for operation in done:
                happen(event, *operation)
                publish_all(event)
                order = LadderState.objects.get(event=event).order
                active = Entrant.objects.filter(event=event, state="active")
                assert sorted(order) == sorted(active.values_list("code", flat=True))
                whole = replay(events_of(event), ladder_rules_of(event)).ladder
                assert tuple(order) == whole.order
                assert verified(event) == ("same", {})
            transaction.set_rollback(True)

    run()


def test_corrections_and_late_games_are_as_if_there_from_the_start(
    cast: Cast, people: list[Player], few_games_a_block: None
) -> None:
    """Without comings and goings, whose moment counts, only what was played decides."""

    @FEW
    @given(seatings(), operations())
    def run(seats: list[list[int]], done: list[tuple[str, int, list[int] | None]]) -> None:
        with transaction.atomic():
            event = laid(cast, people, seats)
            publish_all(event)
            for at in range(6):
                happen(event, "enter", at, [1, 2, 4, 6])
                publish_all(event)
            for operation, at, typed in done:
                if operation == "correct":
                    happen(event, operation, at, typed)
                    publish_all(event)
            assert derived(event) == derived(opened_like(event, people))
            transaction.set_rollback(True)

    run()


def test_replay_corrects_every_row_that_does_not_follow(cast: Cast, people: list[Player]) -> None:
    event = laid(cast, people, [list(range(8))] * 3)
    for at in range(6):
        happen(event, "enter", at, [6, 4, 2, 1])
    publish_all(event)
    right = derived(event)
    served = bytes(Publication.objects.get(ladder=event).body)
    move = LadderMove.objects.filter(event=event).order_by("-number", "entrant").first()
    assert move is not None
    LadderMove.objects.filter(pk=move.pk).update(kind="joined")
    RatingChange.objects.filter(event=event, sequence=2).update(after=1.5)
    LadderState.objects.filter(event=event).update(order=[])
    Publication.objects.filter(ladder=event).update(body=served.replace(b'"place":1', b'"place":9'))
    wrong = ("differs", {"moves": 2, "ratings": 8, "state": 1})
    assert verified(event) == wrong
    assert verified(event, repair=True) == wrong
    assert verified(event) == ("same", {})
    assert (derived(event), bytes(Publication.objects.get(ladder=event).body)) == (right, served)
