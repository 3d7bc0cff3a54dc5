"""The log of a ladder follows the rows: who comes and goes, which games are over, what counts."""

from datetime import date

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, finished, ladder, league, players, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.scenarios.ladder_logs import derived, opened, opened_like
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.jobs import Dirty, ladder_scope
from tournaments.models.ladders import Challenge, LadderMove, LadderState, LadderStep, RatingChange
from tournaments.models.rounds import Round
from tournaments.models.standings import Change, Contribution, Publication
from tournaments.selectors.events.entrants import get_entrant
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.ladders.log import add_step, lock_ladder_state
from tournaments.services.ladders.members import move_entrant
from tournaments.services.publishing import ladders as ladders_publish
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.rank_and_render import Rendered
from tournaments.tasks import publish_ladder

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


NAMES = ("Anna", "Bert", "Cora", "Dora", "Emil", "Fred", "Gerd", "Hans")


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


@pytest.fixture
def event(cast: Cast, people: list[Player]) -> Event:
    return opened(cast, people)


def order(event: Event) -> str:
    """The stored list, as the first letters of names."""
    publish_all(event)
    codes = LadderState.objects.get(event=event).order
    return "".join("ABCDEFGH"[int(code[2:]) - 1] for code in codes)


def log(event: Event) -> list[tuple[str, int, int]]:
    steps = LadderStep.objects.filter(event=event).order_by("number")
    return [(step.kind, step.number // 10_000, step.number % 10_000) for step in steps]


def withdraw(event: Event, code: str, to: str = "withdrawn") -> None:
    move_entrant(by_tests(), get_entrant(event, code), to=to, reason="moved away")


def test_opening_positions_are_written_until_a_game(event: Event, people: list[Player]) -> None:
    Entrant.objects.filter(event=event).update(start_position=None)
    for place, code in ((1, "RL03"), (2, "RL01")):
        Entrant.objects.filter(event=event, code=code).update(start_position=place)
    mark_changed(event=event, now=NOW)
    assert order(event) == "CABDEFGH"
    assert log(event)[0] == ("opened", 1, 0)
    finished(table(event, people[4:]), [4, 1, 2, 6])
    assert order(event) == "CABDFGEH"
    Entrant.objects.filter(event=event, code="RL08").update(start_position=3)
    mark_changed(event=event, now=NOW)
    assert order(event) == "CABDFGEH"


def test_tables_of_a_round_share_a_turn_with_a_late_one(event: Event, people: list[Player]) -> None:
    first = table(event, people[:4], round_number=1, table_number=1)
    late = table(event, people[4:], round_number=1, table_number=2)
    second = table(event, people[2:6], round_number=2)
    finished(first, [6, 1, 4, 2])
    finished(second, [6, 4, 2, 1])
    early = order(event)
    assert [one for one in log(event) if one[0] == "table"] == [("table", 2, 1), ("table", 3, 1)]
    finished(late, [2, 6, 4, 1])
    assert order(event) != early
    assert [one for one in log(event) if one[0] == "table"] == [
        ("table", 2, 1), ("table", 2, 2), ("table", 3, 1),
    ]  # fmt: skip
    in_time = opened_like(event, people)
    assert derived(event) == derived(in_time)


def test_void_game_keeps_its_step_and_moves_nobody(event: Event, people: list[Player]) -> None:
    game = finished(table(event, people[:4]), [6, 4, 2, 1])
    assert order(event) == "CBADEFGH"
    void_hand(by_tests(), game, number=1, based_on=1, reason="wrong table")
    assert (order(event), log(event)[-1]) == ("ABCDEFGH", ("table", 2, 1))
    assert not RatingChange.objects.filter(event=event).exists()


def test_who_withdraws_leaves_and_returns_at_the_bottom(event: Event, people: list[Player]) -> None:
    withdraw(event, "RL03")
    finished(table(event, people[4:]), [6, 4, 2, 1])
    assert order(event) == "ABDGFEH"
    withdraw(event, "RL01")
    assert order(event) == "BDGFEH"
    withdraw(event, "RL01", to="active")
    assert order(event) == "BDGFEHA"
    stories = LadderMove.objects.filter(event=event, entrant__code="RL01").order_by("number")
    assert [story.kind for story in stories] == ["opened", "removed", "joined"]


def test_who_joins_a_pair_before_playing_was_never_there_alone(
    event: Event, people: list[Player], cast: Cast
) -> None:
    new = players(cast.riverside, "Ida", "Jan")
    for player in new:
        entrant_for(event=event, player=player)
    finished(table(event, people[:4]), [6, 4, 2, 1])
    publish_all(event)
    assert LadderState.objects.get(event=event).order[-2:] == ["RL09", "RL10"]
    add_entrant(by_tests(), event, kind="pair", players=new, code="IJ")
    publish_all(event)
    assert LadderState.objects.get(event=event).order[-2:] == ["RL08", "IJ"]


def test_who_has_challenged_does_not_disappear_in_a_pair(event: Event, cast: Cast) -> None:
    new = players(cast.riverside, "Ida", "Jan")
    both = [entrant_for(event=event, player=player) for player in new]
    publish_all(event)
    Challenge.objects.create(
        club=cast.riverside, event=event, number=1, challenger=both[1], challenged=both[0],
        state="withdrawn", issued_at=NOW,
    )  # fmt: skip
    with pytest.raises(Refused, match="entrant_has_results"):
        add_entrant(by_tests(), event, kind="pair", players=new, code="IJ")
    assert Challenge.objects.filter(event=event).exists()


def test_newcomer_comes_in_before_the_table_they_play_at(event: Event, cast: Cast) -> None:
    (new,) = players(cast.riverside, "Ida")
    others = list(Player.objects.filter(player_id__in=("RL01", "RL02", "RL03")).order_by("pk"))
    finished(table(event, [*others, new]), [4, 2, 6, 1])
    publish_all(event)
    assert LadderState.objects.get(event=event).order[:3] == ["RL02", "RL01", "RL03"]
    assert LadderState.objects.get(event=event).order[-1] == "RL09"


def test_table_too_far_apart_moves_nobody_and_is_rated(cast: Cast, people: list[Player]) -> None:
    event = opened(cast, people, rules={"max_span": 3})
    finished(table(event, [people[0], *people[2:5]], round_number=1), [6, 4, 2, 1])
    assert order(event) == "ABCDEFGH"
    assert LadderStep.objects.get(event=event, kind="table").facts == {
        "passed_over": "ladder_span", "found": 4, "most": 3,
    }  # fmt: skip
    assert RatingChange.objects.filter(event=event).count() == 4
    finished(table(event, people[:4], round_number=2), [6, 4, 2, 1])
    assert order(event) == "CBADEFGH"


def test_partners_share_what_their_side_did(cast: Cast, people: list[Player]) -> None:
    event = ladder(cast.riverside, variant="partnership-hearts")
    finished(table(event, people[:4]), [4, 1, 2, 6])
    publish_all(event)
    changes = RatingChange.objects.filter(event=event).order_by("entrant__code")
    found = {
        change.entrant.code: change.after - change.before
        for change in changes.select_related("entrant")
    }
    assert found["RL01"] == found["RL03"] == -found["RL02"] == -found["RL04"] != 0


def test_pair_is_a_side_by_itself(cast: Cast, people: list[Player]) -> None:
    event = ladder(cast.riverside, variant="partnership-hearts")
    for code, pair in (("NS", people[0:4:2]), ("EW", people[1:4:2])):
        add_entrant(by_tests(), event, kind="pair", players=pair, code=code)
    finished(table(event, people[:4]), [4, 1, 2, 6])
    publish_all(event)
    changes = RatingChange.objects.filter(event=event).order_by("entrant__code")
    assert [change.entrant.code for change in changes.select_related("entrant")] == ["EW", "NS"]
    assert LadderStep.objects.get(kind="table").facts == {
        "passed_over": "ladder_table_size", "found": 2, "least": 3, "most": 11,
    }  # fmt: skip


def test_plackett_luce_keeps_a_spread_others_restart(cast: Cast, people: list[Player]) -> None:
    event = opened(cast, people, rules={"rating": "plackett_luce"})
    finished(table(event, people[:4]), [2, 1, 4, 6])
    body = publish_all(event)
    rows = RatingChange.objects.filter(event=event).order_by("-after")
    assert [round(row.after, 3) for row in rows] == [27.795, 26.553, 24.689, 20.962]
    assert [round(row.after_spread or 0, 3) for row in rows] == [8.264, 8.180, 8.084, 8.084]
    assert b'"spread":8.264' in bytes(body.body)
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "ladder": {}})
    mark_changed(event=event, now=NOW)
    publish_all(event)
    assert [row.after_spread for row in rows.all()] == [None] * 4
    assert rows.all()[0].after == 1532


def test_challenge_of_an_uncounted_game_is_void(event: Event, people: list[Player]) -> None:
    game = finished(table(event, people[:4]), [6, 4, 2, 1])
    low, high = Entrant.objects.filter(event=event, code__in=("RL03", "RL01")).order_by("-code")
    won = Challenge.objects.create(
        club=event.club, event=event, number=1, challenger=low, challenged=high,
        state="confirmed", issued_at=NOW, closed_at=NOW, game=game, confirmed_as="loser",
    )  # fmt: skip
    lock_ladder_state(event)
    add_step(event, "challenge", on=date(2025, 11, 6), challenge=won)
    mark_changed(event=event, now=NOW)
    assert order(event) == "CABDEFGH"
    void_hand(by_tests(), game, number=1, based_on=1, reason="not theirs")
    assert order(event) == "ABCDEFGH"
    won.refresh_from_db()
    assert won.state == "void"
    change = Change.objects.get(event=event, kind="void_challenge")
    assert (change.by, change.facts) == ("clock", {"challenge": 1})
    lines = AuditLine.objects.filter(act="void_challenge")
    assert [(line.subject, line.facts) for line in lines] == [("event:ladder", {"challenge": 1})]
    order(event)
    assert AuditLine.objects.filter(act="void_challenge").count() == 1


def test_marked_again_without_a_change_makes_no_publication(event: Event) -> None:
    numbers = Publication.objects.filter(ladder=event)
    before = numbers.count()
    mark_changed(event=event, now=NOW)
    publish_all(event)
    assert numbers.count() == before


def test_league_is_no_ladder(cast: Cast, people: list[Player]) -> None:
    event = league(cast.riverside)
    finished(table(event, people[:4]))
    publish(event.pk, now=NOW)
    assert not Dirty.objects.filter(scope=ladder_scope(event.pk)).exists()
    assert Contribution.objects.filter(event=event).count() == 4


def test_work_on_a_long_ladder_is_kept_from_others_and_says_how_far_it_is(
    event: Event, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Dirty.objects.filter(scope=ladder_scope(event.pk))
    seen: list[tuple[dict[str, int] | None, bool]] = []

    def look(
        event: Event, *, from_start: bool = False
    ) -> tuple[ladders_publish.ComputedLadder, Rendered]:
        found = row.get()
        seen.append((found.progress, found.claimed_until is not None))
        return make(event, from_start=from_start)

    make = ladders_publish.read_and_compute_ladder
    monkeypatch.setattr(ladders_publish, "read_and_compute_ladder", look)
    finished(table(event, people[:4]), [3, 4, 5, 1])
    publish(event.pk, now=NOW)
    publish_ladder(event.pk)
    assert seen == [({"done": 1, "of": 3}, True)]
    assert row.get().claimed_until is None


def in_rounds(
    event: Event, people: list[Player], *days: date | None
) -> tuple[list[tuple[int, int]], str]:
    """Play a round on each of these days, all before the ladder is computed.

    Return round and turn of each table in the order of the log, and the list.
    """
    for number, day in enumerate(days, 1):
        game = table(event, people[:4], round_number=number, on=day or date(2025, 11, 6))
        if day is None:
            Round.objects.filter(event=event, number=number).update(meeting=None)
        finished(game, [[6, 4, 2, 1], [1, 6, 4, 2], [2, 1, 6, 4]][number - 1])
    listed = order(event)
    steps = LadderStep.objects.filter(event=event, kind="table").order_by("number")
    rows = steps.values_list("game__table__round__number", "number")
    return [(number, at // 10_000) for number, at in rows], listed


@pytest.mark.parametrize(("days", "expected"), [
    ((date(2025, 11, 20), date(2025, 10, 16)), [(2, 2), (1, 3)]),
    ((date(2025, 11, 20), date(2025, 11, 20)), [(1, 2), (2, 3)]),  # of one day by number
    ((date(2025, 10, 16), date(2025, 11, 20)), [(1, 2), (2, 3)]),
    ((date(2025, 11, 20), None, date(2025, 10, 16)), [(3, 2), (1, 3), (2, 4)]),
])  # fmt: skip
def test_tables_that_come_together_are_logged_by_date(
    event: Event, people: list[Player], days: tuple[date | None, ...],
    expected: list[tuple[int, int]],
) -> None:  # fmt: skip
    logged, _list = in_rounds(event, people, *days)
    assert logged == expected


def test_list_is_that_of_the_evenings_in_their_order(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    _logged, imported = in_rounds(event, people, date(2025, 11, 20), date(2025, 10, 16))
    other = opened(cast, people, slug="in-time")
    finished(table(other, people[:4], round_number=1, on=date(2025, 10, 16)), [1, 6, 4, 2])
    order(other)
    finished(table(other, people[:4], round_number=2, on=date(2025, 11, 20)), [6, 4, 2, 1])
    assert order(other) == imported
    assert imported == "CBADEFGH"


def test_stored_steps_stay_where_they_are_and_an_older_evening_comes_after(
    event: Event, people: list[Player]
) -> None:
    finished(table(event, people[:4], round_number=1, on=date(2025, 11, 20)), [6, 4, 2, 1])
    order(event)
    before = log(event)
    finished(table(event, people[:4], round_number=2, on=date(2025, 10, 16)), [1, 6, 4, 2])
    order(event)
    assert log(event)[: len(before)] == before
    assert log(event)[len(before) :] == [("table", 3, 1)]
