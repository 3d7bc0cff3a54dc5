"""Two records of one person become one, and two again, with their attendance and constraints."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import (
    bring,
    by_tests,
    finished,
    hand,
    league,
    link,
    pairs,
    penalize,
    players,
    publish_all,
    season,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import answer, issue
from tests.support.scenarios.ladders import ladder, order
from tests.support.scenarios.playoffs import tied
from tests.support.verification import require_clean
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Erasure, Player, PlayerMerge
from tournaments.models.events import Event, Season
from tournaments.models.rounds import Attendance, Meeting, Sitting
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.models.standings import Publication
from tournaments.selectors.people.accounts import get_personal_data
from tournaments.selectors.people.merges import get_merge
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.ladders.members import report_absence
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.previewing.preview_changes import merge_digest, preview_merge
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

KEEPING = {"primary": "placement_points", "drop_worst": 1}


def merge(cast: Cast, source: Player, target: Player) -> PlayerMerge:
    return merge_players(cast.operation("dirk"), source, target=target)


def undo(cast: Cast, source: Player) -> PlayerMerge:
    merge = get_merge(cast.riverside, source.player_id)
    return undo_merge(cast.operation("dirk"), merge)


def codes(cast: Cast, source: Player, target: Player) -> list[str]:
    try:
        merge(cast, source, target)
    except Refused as refused:
        found = [problem.code for problem in refused.problems]
    except Conflict as refused:
        found = [refused.problem.code]
    else:
        found = []
    assert not PlayerMerge.objects.exists()
    return found


def digest(event: Event) -> str:
    made = publish(event.pk, now=NOW)
    assert made is not None
    return made.digest


def season_digest(made: Season) -> str:
    published = publish_season(made.pk, now=NOW)
    assert published is not None
    return published.digest


def evenings(cast: Cast, settings: dict[str, Any] | None = None) -> tuple[Event, Sequence[Player]]:
    """A league in which Anna is written as Ann on the second evening, and as Anna on the third."""
    event = league(cast.riverside, settings=settings)
    anna, bert, cora, dora, ann = people = players(
        cast.riverside, "Anna", "Bert", "Cora", "Dora", "Ann"
    )
    for number, seated in enumerate(
        ([anna, bert, cora, dora], [bert, ann, cora, dora], [cora, dora, anna, bert]), start=1
    ):
        day = date(2025, 11, 6) + timedelta(days=7 * number)
        finished(table(event, seated, round_number=number, on=day))
    return event, people


@pytest.mark.parametrize("settings", [None, KEEPING], ids=["sums", "dropped games"])
def test_entrants_of_one_event_become_one_and_two_again(
    cast: Cast, settings: dict[str, Any] | None
) -> None:
    event, (anna, *_others, ann) = evenings(cast, settings)
    penalize(event, "RL05", "1", "Cake", kind="bonus")
    bring(event, "RL05", "7")
    bring(event, "RL01", "9")
    before = digest(event)
    merge(cast, ann, anna)
    require_clean(event)
    assert digest(event) != before
    assert list(event.entrants.order_by("code").values_list("code", flat=True)) == [
        "RL01", "RL02", "RL03", "RL04",
    ]  # fmt: skip
    assert Sitting.objects.filter(player=anna).count() == 3
    newest = Publication.objects.filter(event=event).latest("number")
    assert b'"player_id":"RL01","player":"Anna","tables":5' in bytes(newest.body)
    ann.refresh_from_db()
    assert (ann.merged_into, ann.is_active) == (anna, False)
    with pytest.raises(Conflict, match="player_is_merged"):
        table(event, [ann, *_others], round_number=4)
    undo(cast, ann)
    require_clean(event)
    assert digest(event) == before
    ann.refresh_from_db()
    assert (ann.merged_into, ann.is_active) == (None, True)
    operations = AuditLine.objects.filter(subject="player:RL05").order_by("number")
    assert list(operations.values_list("act", flat=True)) == [
        "add_player",
        "merge_players",
        "undo_merge",
    ]


def test_results_go_on_under_the_number_of_a_player_who_was_not_there(cast: Cast) -> None:
    event, (anna, *_others, _ann) = evenings(cast)
    made = season(event)
    (fern,) = players(cast.riverside, "Fern")
    before = digest(event), season_digest(made)
    merge(cast, anna, fern)
    require_clean(event)
    assert digest(event) != before[0]
    assert "RL01" not in event.entrants.values_list("code", flat=True)
    assert season_digest(made) != before[1]
    undo(cast, anna)
    require_clean(event)
    assert (digest(event), season_digest(made)) == before


def test_ladder_of_both_is_replayed_with_one_and_again_with_two(cast: Cast) -> None:
    event = ladder(cast, "ABCDEF", now=NOW)
    a, b, c, d, e, f = Player.objects.order_by("player_id")
    finished(table(event, [c, d, e, f]))
    finished(table(event, [a, b, c, f], round_number=2))
    report_absence(by_tests(), event, player_id="E", since=NOW.date())
    before = publish_all(event).digest, digest(event), order(event)
    Player.objects.update(user=None)
    b.user = e.user = None
    merge(cast, e, b)
    publish_all(event)
    require_clean(event)
    assert sorted(order(event)) == list("ABCDF")
    undo(cast, e)
    after = publish_all(event).digest, digest(event), order(event)
    require_clean(event)
    assert after == before


def test_one_person_is_nowhere_twice(cast: Cast) -> None:
    _event, (anna, bert, _cora, _dora, ann) = evenings(cast)
    with pytest.raises(Refused) as refused:
        merge(cast, bert, anna)
    rounds = [problem.facts["round"] for problem in refused.value.problems]
    assert (refused.value.problems[0].code, rounds) == ("merge_same_round", ["1, 3"])
    assert codes(cast, anna, anna) == ["merge_same_player"]
    link(anna, cast.users["piet"])
    link(ann, cast.users["hanna"])
    assert codes(cast, ann, anna) == ["merge_two_accounts"]


def test_partners_and_players_of_two_pairs_are_two_people(cast: Cast) -> None:
    ann, ben, cleo, dora = players(cast.riverside, "Ann", "Ben", "Cleo", "Dora")
    pairs(league(cast.riverside), [ann, ben, cleo, dora])
    assert codes(cast, ann, ben) == ["merge_same_entrant"]
    assert codes(cast, ann, dora) == ["merge_two_entrants"]


def test_two_players_of_a_play_off_are_two_people(cast: Cast) -> None:
    tied(cast.riverside)
    first, second = Player.objects.order_by("player_id")[:2]
    assert codes(cast, first, second) == ["merge_same_round", "merge_same_playoff"]


def test_open_challenges_are_resolved_first(cast: Cast) -> None:
    event = ladder(cast, "ABCDEFGH", now=NOW)
    _a, b, c, d, e, f, g, _h = Player.objects.order_by("player_id")
    issue(cast, event, "C", "B")
    issue(cast, event, "E", "D")
    answer(cast, event, "D", "declined", number=2)
    issue(cast, event, "G", "F")
    Player.objects.update(user=None)
    c, b, e, d, g, f = (Player.objects.get(pk=one.pk) for one in (c, b, e, d, g, f))
    assert codes(cast, c, b) == ["merge_each_other"]
    assert codes(cast, e, d) == ["merge_each_other"]
    assert codes(cast, g, c) == ["merge_open_challenges"]
    assert codes(cast, f, b) == ["merge_open_challenges"]


@pytest.mark.parametrize("what", ["hand", "seat", "penalty", "opening_value"])
def test_undo_waits_for_nobody_once_something_new_hangs_on_it(cast: Cast, what: str) -> None:
    event, (anna, bert, cora, dora, ann) = evenings(cast)
    merge(cast, ann, anna)
    if what == "hand":
        game = event.games.get(table__round__number=2)
        hand(game, 1, [1, 1, 1, 10], 3, based_on=1, reason="misread")
    elif what == "seat":
        table(event, [anna, bert, cora, dora], round_number=4)
    elif what == "opening_value":
        bring(event, "RL01", "7")
    else:
        penalize(event, "RL01", "1", "x", kind="bonus")
    with pytest.raises(Conflict) as refused:
        undo(cast, ann)
    assert refused.value.problem.code == "merge_in_use"
    assert refused.value.problem.facts["what"] == what
    ann.refresh_from_db()
    assert ann.merged_into == anna


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Tom", "Tom T.", "Bo B.", "Cy C.")


@pytest.fixture
def meetings(cast: Cast) -> list[Meeting]:
    event = league(cast.riverside)
    return [
        Meeting.objects.create(club=event.club, event=event, date=NOW.date() + timedelta(days=n))
        for n in range(3)
    ]


def say(meeting: Meeting, player: Player, state: str, minutes: int, **more: int) -> None:
    at = NOW - timedelta(minutes=minutes)
    set_attendance(by_tests(), meeting, player=player, state=state, stated_at=at, **more)


def constraint(event_of: Meeting, kind: str, player: Player, other: Player | None) -> None:
    SeatingConstraint.objects.create(
        club_id=event_of.club_id, event=event_of.event, kind=kind, player=player, other=other,
        table_number=None if other else 2, created_at=NOW,
    )  # fmt: skip


def stored() -> list[tuple[object, ...]]:
    rows = Attendance.objects.order_by("pk").values_list("pk", "player", "state", "stated_at")
    asked = SeatingConstraint.objects.order_by("pk").values_list("pk", "kind", "player", "other")
    return [*rows, *asked]


def test_merge_moves_presence_and_its_undo_restores_it(
    cast: Cast, people: list[Player], meetings: list[Meeting]
) -> None:
    guest, tom, bo, cy = people
    say(meetings[0], guest, "here", 10)
    say(meetings[1], guest, "absent", 10)
    say(meetings[1], tom, "here", 5)
    say(meetings[2], guest, "here", 5)
    say(meetings[2], tom, "expected", 10)
    constraint(meetings[0], "apart", guest, tom)
    constraint(meetings[0], "apart", guest, bo)
    constraint(meetings[0], "apart", bo, tom)
    constraint(meetings[0], "together", cy, guest)
    constraint(meetings[0], "fixed_table", guest, None)
    before = stored()
    merge(cast, guest, tom)
    found = Attendance.objects.order_by("meeting__date").values_list("player_id", "state")
    assert [*found] == [(tom.pk, "here"), (tom.pk, "here"), (tom.pk, "here")]
    asked = SeatingConstraint.objects.order_by("pk").values_list("kind", "player_id", "other_id")
    assert [*asked] == [
        ("apart", bo.pk, tom.pk),
        ("together", cy.pk, tom.pk),
        ("fixed_table", tom.pk, None),
    ]
    undo(cast, guest)
    assert stored() == before


@pytest.mark.parametrize(("of_guest", "of_tom"), [(10, 5), (5, 10)])
def test_newer_of_two_statements_about_an_evening_counts_in_all_its_parts(
    cast: Cast, people: list[Player], meetings: list[Meeting], of_guest: int, of_tom: int
) -> None:
    guest, tom = people[:2]
    for player, state, minutes, first in ((guest, "here", of_guest, 2), (tom, "late", of_tom, 3)):
        say(meetings[0], player, state, minutes, from_round=first)
    before = stored()
    merge(cast, guest, tom)
    row = Attendance.objects.get()
    newer = ("here", 2, 5) if of_guest < of_tom else ("late", 3, 5)
    minutes = (NOW - row.stated_at) // timedelta(minutes=1)
    assert (row.player, row.state, row.from_round, minutes) == (tom, *newer)
    undo(cast, guest)
    assert stored() == before
    rounds = Attendance.objects.order_by("player__player_id").values_list("from_round", flat=True)
    assert [*rounds] == [2, 3]


def test_preview_counts_evenings_constraints_and_plans_of_the_merged_player(
    cast: Cast, people: list[Player], meetings: list[Meeting]
) -> None:
    guest, tom, bo, cy = people
    for player in (guest, tom, bo, cy):
        say(meetings[0], player, "here", 10)
    say(meetings[1], guest, "absent", 10)
    plans = make_plans(by_tests(), meetings[0], rounds=1)
    constraint(meetings[0], "apart", bo, guest)
    constraint(meetings[0], "apart", bo, tom)
    shown = preview_merge(by_tests(), guest, tom)
    counts = (shown["attendance"], shown["constraints"], shown["plans"])
    assert counts == (2, 1, len(plans))
    assert len(plans) >= 1
    later = preview_merge(by_tests(NOW + timedelta(days=9)), guest, tom)
    assert (later["plans"], merge_digest(later) == merge_digest(shown)) == (0, False)
    page = cast.client("dirk").get(
        f"/clubs/riverside/merge-player/{guest.player_id}?into={tom.player_id}"
    )
    assert "Attendance, evenings 2 Seating constraints 1" in text_of(page)


def test_merge_is_kept_once_its_attendance_changed_and_another_evening_does_not_matter(
    cast: Cast, people: list[Player], meetings: list[Meeting]
) -> None:
    guest, tom = people[:2]
    say(meetings[0], guest, "here", 10)
    merge(cast, guest, tom)
    say(meetings[1], tom, "here", 5)
    say(meetings[0], tom, "left", 5)
    with pytest.raises(Conflict, match="merge_in_use"):
        undo(cast, guest)
    Attendance.objects.filter(meeting=meetings[0]).update(
        state="here", stated_at=NOW - timedelta(minutes=10)
    )
    undo(cast, guest)
    assert Attendance.objects.get(meeting=meetings[0]).player == guest
    assert Attendance.objects.get(meeting=meetings[1]).player == tom


def test_erasing_deletes_presence_which_the_data_of_a_person_holds(
    cast: Cast, people: list[Player], meetings: list[Meeting]
) -> None:
    tom, bo = people[1:3]
    say(meetings[0], tom, "here", 10)
    say(meetings[0], bo, "here", 10)
    constraint(meetings[0], "apart", bo, tom)
    data = get_personal_data(cast.actor("olga"), cast.riverside, tom)
    assert [one["state"] for one in data["attendance"]] == ["here"]
    assert data["seating_constraints"][0]["kind"] == "apart"
    olga = cast.operation("olga")
    erase_player(olga, tom, confirmed=tom.player_id, reason="They asked for it.")
    assert [row.player for row in Attendance.objects.all()] == [bo]
    assert not SeatingConstraint.objects.exists()


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("change", ["player_is_erased", "player_is_merged", "player"])
def test_player_who_is_gone_is_not_merged(cast: Cast, change: str, at: int) -> None:
    pair = players(cast.riverside, "Ada A.", "Bo B.")
    (other,) = players(cast.riverside, "Cy C.")
    row = Player.objects.filter(pk=pair[at].pk)
    if change == "player_is_erased":
        row.update(erased_at=NOW)
    elif change == "player_is_merged":
        row.update(merged_into=other)
    else:
        row.delete()
    with pytest.raises((Conflict, Missing), match=change):
        merge(cast, *pair)


def test_merge_waits_for_a_request_to_be_erased_and_is_undone_once(cast: Cast) -> None:
    ada, bo = players(cast.riverside, "Ada A.", "Bo B.")
    asked = Erasure.objects.create(club=cast.riverside, player=ada, asked_at=NOW)
    with pytest.raises(Conflict, match="erasure_pending"):
        merge(cast, ada, bo)
    asked.delete()
    merged = merge(cast, ada, bo)
    undo(cast, ada)
    with pytest.raises(Missing, match="merge"):
        undo_merge(cast.operation("dirk"), merged)
