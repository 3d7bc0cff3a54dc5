"""Attendance and seating constraints of players who are merged, unmerged and erased."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.meetings import Attendance, Meeting
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.selectors.people.personal_data import get_personal_data
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.previewing.preview_changes import merge_digest, preview_merge
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


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


def say(meeting: Meeting, player: Player, state: str, minutes: int) -> None:
    set_attendance(
        actor=TESTS,
        meeting=meeting,
        player=player,
        state=state,
        stated_at=NOW - timedelta(minutes=minutes),
        now=NOW,
    )


def constraint(event_of: Meeting, kind: str, player: Player, other: Player | None) -> None:
    SeatingConstraint.objects.create(
        club_id=event_of.club_id,
        event=event_of.event,
        kind=kind,
        player=player,
        other=other,
        table_number=None if other else 2,
        created_at=NOW,
    )


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
    merge_players(actor=TESTS, club=cast.riverside, source=guest, target=tom, now=NOW)
    found = Attendance.objects.order_by("meeting__date").values_list("player_id", "state")
    assert [*found] == [(tom.pk, "here"), (tom.pk, "here"), (tom.pk, "here")]
    asked = SeatingConstraint.objects.order_by("pk").values_list("kind", "player_id", "other_id")
    assert [*asked] == [
        ("apart", bo.pk, tom.pk),
        ("together", cy.pk, tom.pk),
        ("fixed_table", tom.pk, None),
    ]
    undo_merge(actor=TESTS, club=cast.riverside, source=guest, now=NOW)
    assert stored() == before


@pytest.mark.parametrize(("of_guest", "of_tom"), [(10, 5), (5, 10)])
def test_newer_of_two_statements_about_an_evening_counts_in_all_its_parts(
    cast: Cast, people: list[Player], meetings: list[Meeting], of_guest: int, of_tom: int
) -> None:
    guest, tom = people[:2]
    for player, state, minutes, first in (
        (guest, "here", of_guest, 2),
        (tom, "late", of_tom, 3),
    ):
        set_attendance(
            actor=TESTS,
            meeting=meetings[0],
            player=player,
            state=state,
            from_round=first,
            stated_at=NOW - timedelta(minutes=minutes),
            now=NOW,
        )
    before = stored()
    merge_players(actor=TESTS, club=cast.riverside, source=guest, target=tom, now=NOW)
    row = Attendance.objects.get()
    newer = ("here", 2, 5) if of_guest < of_tom else ("late", 3, 5)
    minutes = (NOW - row.stated_at) // timedelta(minutes=1)
    assert (row.player, row.state, row.from_round, minutes) == (tom, *newer)
    undo_merge(actor=TESTS, club=cast.riverside, source=guest, now=NOW)
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
    made = make_plans(actor=TESTS, meeting=meetings[0], rounds=1, now=NOW)
    constraint(meetings[0], "apart", bo, guest)
    constraint(meetings[0], "apart", bo, tom)
    both: dict[str, Any] = {"actor": TESTS, "club": cast.riverside, "target": tom, "source": guest}
    shown = preview_merge(**both, now=NOW)
    counts = (shown["attendance"], shown["constraints"], shown["plans"])
    assert counts == (2, 1, len(made))
    assert len(made) >= 1
    later = preview_merge(**both, now=NOW + timedelta(days=9))
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
    merge_players(actor=TESTS, club=cast.riverside, source=guest, target=tom, now=NOW)
    say(meetings[1], tom, "here", 5)
    say(meetings[0], tom, "left", 5)
    with pytest.raises(Conflict, match="merge_in_use"):
        undo_merge(actor=TESTS, club=cast.riverside, source=guest, now=NOW)
    Attendance.objects.filter(meeting=meetings[0]).update(
        state="here", stated_at=NOW - timedelta(minutes=10)
    )
    undo_merge(actor=TESTS, club=cast.riverside, source=guest, now=NOW)
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
    erase_player(
        actor=cast.actor("olga"),
        club=cast.riverside,
        player=tom,
        confirmed=tom.player_id,
        reason="They asked for it.",
        now=NOW,
    )
    assert [row.player for row in Attendance.objects.all()] == [bo]
    assert not SeatingConstraint.objects.exists()
