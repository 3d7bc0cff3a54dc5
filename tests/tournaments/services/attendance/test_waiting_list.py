"""An evening has a number of places: who answers later waits, and moves up when one is free."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, link, pairs, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.errors import Conflict
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event, Stage
from tournaments.models.notices import Notice
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_list import (
    attendance_of,
    head_count_in_words,
    recipients_to_ask,
)
from tournaments.selectors.attendance.moved_up import list_untold
from tournaments.selectors.attendance.own_evenings import evening_of_player, own_next_evenings
from tournaments.selectors.chat_text import expected_text
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.jobs.outgoing import KNOWN
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.selectors.people.own_tables import events_of_person
from tournaments.services.attendance.fill_ins import answer_fill_in, ask_fill_in
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import set_attendance, undo_check_in
from tournaments.services.clubs.members import unlink_player
from tournaments.services.events.change_event import change_settings
from tournaments.services.events.entrants import add_entrant
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

EVENING = date(2025, 11, 13)
NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eva")

pytestmark = pytest.mark.django_db


class Evening:
    """An evening with members who have an account each; a second later with each statement."""

    def __init__(self, cast: Cast, capacity: int | None) -> None:
        self.cast = cast
        self.club = cast.riverside
        self.event = league(self.club)
        self.players = dict(zip(NAMES, players(self.club, *NAMES), strict=True))
        self.users: dict[str, User] = {}
        for name, player in self.players.items():
            self.users[name] = User.objects.create_user(name.lower())
            Membership.objects.create(club=self.club, user=self.users[name], role="player")
            link(player, self.users[name])
        self.now = NOW
        plan_meeting(by_tests(), self.event, day=EVENING, capacity=capacity)

    @property
    def meeting(self) -> Meeting:
        return meeting_on(self.event, EVENING)

    def operation(self, name: str = "") -> Operation:
        self.now += timedelta(seconds=1)
        if not name:
            return by_tests(self.now)
        user = self.users[name]
        return Operation(Actor("user", user_id=user.pk, name=name), self.now)

    def answer(self, *names: str, state: str = "expected") -> None:
        for name in names:
            state_own_attendance(self.operation(name), self.meeting, state=state)

    def state_by_host(self, name: str, state: str) -> None:
        set_attendance(self.operation(), self.meeting, player=self.players[name], state=state)

    def states(self) -> Mapping[str, str]:
        rows = Attendance.objects.filter(meeting=self.meeting).order_by("player__name")
        return dict(rows.values_list("player__name", "state"))

    def waiting(self) -> Mapping[str, int]:
        """The number on the waiting list, by name, as the players themselves read it."""
        found = {}
        for name, player in self.players.items():
            own = evening_of_player(self.meeting, player, now=self.now)
            if own.waiting:
                found[name] = own.waiting
        return found


@pytest.fixture
def evening(cast: Cast) -> Evening:
    return Evening(cast, 2)


def test_answers_beyond_the_places_wait_in_the_order_in_which_they_came(evening: Evening) -> None:
    evening.answer("Eva", "Ann", "Dan", "Ben")
    expected = {"Ann": "expected", "Ben": "waiting", "Dan": "waiting", "Eva": "expected"}
    assert evening.states() == expected
    assert evening.waiting() == {"Dan": 1, "Ben": 2}
    shown = {row.name: row.waiting for row in attendance_of(evening.meeting).rows if row.waiting}
    assert shown == {"Dan": 1, "Ben": 2}, "the director reads the same list"


def test_without_a_limit_everybody_comes(cast: Cast) -> None:
    evening = Evening(cast, None)
    evening.answer(*NAMES)
    assert set(evening.states().values()) == {"expected"}


def test_last_place_is_given_and_the_next_answer_waits(evening: Evening) -> None:
    evening.answer("Ann")
    evening.answer("Ben", state="late")
    assert evening.states()["Ben"] == "late", "the second of two places"
    evening.answer("Cleo", state="late")
    assert evening.states()["Cleo"] == "waiting"


def test_who_says_it_again_or_comes_later_keeps_the_place(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    evening.answer("Ann")
    evening.answer("Ann", state="late")
    assert evening.states() == {"Ann": "late", "Ben": "expected", "Cleo": "waiting"}
    evening.answer("Dan")
    evening.answer("Cleo", state="late")
    assert evening.waiting() == {"Cleo": 1, "Dan": 2}, "a later hour is not a later answer"


@pytest.mark.parametrize("by_host", [False, True])
def test_first_who_waits_moves_up_when_somebody_withdraws(
    evening: Evening, *, by_host: bool
) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    if by_host:
        evening.state_by_host("Ann", "absent")
    else:
        evening.answer("Ann", state="absent")
    assert evening.states() == {
        "Ann": "absent",
        "Ben": "expected",
        "Cleo": "expected",
        "Dan": "waiting",
    }
    assert evening.waiting() == {"Dan": 1}


def test_who_waited_to_come_later_comes_later(evening: Evening) -> None:
    evening.answer("Ann", "Ben")
    state_own_attendance(evening.operation("Cleo"), evening.meeting, state="late", from_round=2)
    evening.answer("Ben", state="absent")
    row = Attendance.objects.get(player=evening.players["Cleo"])
    assert (row.state, row.answer, row.from_round) == ("late", "late", 2)


def test_who_withdraws_from_the_list_moves_nobody_and_starts_again_at_its_end(
    evening: Evening,
) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    evening.answer("Cleo", state="absent")
    assert evening.waiting() == {"Dan": 1}
    evening.answer("Cleo")
    assert evening.waiting() == {"Dan": 1, "Cleo": 2}


def test_place_that_an_erasure_frees_goes_to_who_waits_with_the_next_answer(
    evening: Evening,
) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    Attendance.objects.filter(player=evening.players["Ann"]).delete()
    evening.answer("Dan")
    assert evening.states() == {"Ben": "expected", "Cleo": "expected", "Dan": "waiting"}
    evening.state_by_host("Ben", "absent")
    Attendance.objects.filter(player=evening.players["Cleo"]).delete()
    assert evening.states() == {"Ben": "absent", "Dan": "expected"}
    evening.answer("Eva")
    assert evening.states()["Eva"] == "expected", "one is free, and nobody waits for it"


@pytest.mark.parametrize("enters", [True, False])
def test_place_of_who_is_erased_is_given_at_once(evening: Evening, *, enters: bool) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    ann = evening.players["Ann"]
    if enters:
        add_entrant(by_tests(), evening.event, kind="player", players=[ann])
    ann.refresh_from_db()
    erase_player(evening.operation(), ann, confirmed=ann.player_id, reason="Asked.")
    assert evening.states() == {"Ben": "expected", "Cleo": "expected", "Dan": "waiting"}
    assert Notice.objects.filter(user=evening.users["Cleo"]).count() == 1


def test_place_of_a_second_name_is_given_at_once(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    source, target = evening.players["Ann"], evening.players["Ben"]
    source.refresh_from_db()
    target.refresh_from_db()
    unlink_player(by_tests(), source)
    merge_players(evening.operation(), source, target=target)
    assert evening.states() == {"Ben": "expected", "Cleo": "expected", "Dan": "waiting"}


@pytest.mark.parametrize("waits_first", [True, False])
def test_two_names_of_a_person_who_waits_under_one_keep_the_place(
    evening: Evening, *, waits_first: bool
) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    source, target = evening.players["Ben"], evening.players["Cleo"]
    if waits_first:
        source, target = target, source
    source.refresh_from_db()
    target.refresh_from_db()
    unlink_player(by_tests(), source)
    merge_players(by_tests(), source, target=target)
    assert Attendance.objects.get(player=target).state == "expected"


def test_director_always_adds_and_nobody_moves_up_until_there_is_room(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    evening.state_by_host("Dan", "expected")
    assert evening.states()["Dan"] == "expected", "passed over who waited longer"
    evening.answer("Ann", state="absent")
    assert evening.waiting() == {"Cleo": 1}, "three had places, two have: none is free"
    evening.answer("Ben", state="absent")
    assert evening.waiting() == {}


def test_who_is_checked_in_has_a_place_and_an_undo_keeps_who_waited_waiting(
    evening: Evening,
) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    evening.state_by_host("Cleo", "here")
    assert evening.states()["Cleo"] == "here"
    undo_check_in(
        evening.operation(),
        evening.meeting,
        player=evening.players["Cleo"],
        stated_at=evening.now,
    )
    assert evening.states()["Cleo"] == "waiting"


@pytest.mark.parametrize(
    ("capacity", "waiting"),
    [(3, {"Dan": 1, "Eva": 2}), (4, {"Eva": 1}), (5, {}), (0, {}), (1, {"Cleo": 1, "Dan": 2})],
)
def test_more_places_move_up_who_waits_and_fewer_send_nobody_away(
    evening: Evening, capacity: int, waiting: Mapping[str, int]
) -> None:
    evening.answer(*NAMES)
    change_meeting(evening.operation(), evening.meeting, capacity=capacity)
    if capacity == 1:
        assert evening.waiting() == {"Cleo": 1, "Dan": 2, "Eva": 3}
    else:
        assert evening.waiting() == waiting
    assert evening.states()["Ann"] == evening.states()["Ben"] == "expected"


def test_places_of_the_settings_hold_for_each_evening_without_its_own(cast: Cast) -> None:
    evening = Evening(cast, None)
    change_settings(evening.operation(), evening.event, values={"capacity": 1}, reason="Small hall")
    evening.event.refresh_from_db()
    evening.answer("Ann", "Ben", "Cleo")
    assert evening.waiting() == {"Ben": 1, "Cleo": 2}
    change_settings(evening.operation(), evening.event, values={"capacity": 2}, reason="Larger")
    evening.event.refresh_from_db()
    assert evening.waiting() == {"Cleo": 1}, "who waits at evenings to come moves up"
    change_meeting(evening.operation(), evening.meeting, capacity=0)
    assert evening.waiting() == {}, "0 is no limit, whatever the settings say"


@pytest.mark.parametrize(
    ("capacity", "is_right"), [(0, True), (999, True), (1000, False), (-1, False)]
)
def test_number_of_places_has_bounds(evening: Evening, capacity: int, *, is_right: bool) -> None:
    if is_right:
        change_meeting(evening.operation(), evening.meeting, capacity=capacity)
        assert evening.meeting.capacity == capacity
        return
    with pytest.raises(Refused, match="bad_capacity"):
        change_meeting(evening.operation(), evening.meeting, capacity=capacity)


def test_who_moves_up_is_told_at_once_and_may_decline(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    evening.answer("Ann", state="absent")
    (notice,) = Notice.objects.filter(user=evening.users["Cleo"])
    text = notice_text("place_free", {**notice.facts}, evening.users["Cleo"])
    assert text is not None
    assert text.title == "You have a place on Thursday 13 November 2025"
    assert text.paragraphs == ("A place is free for you. Change your answer if you cannot come.",)
    assert not Notice.objects.filter(user=evening.users["Dan"]).exists()
    evening.answer("Cleo", state="absent")
    assert evening.waiting() == {}, "Dan has the place that Cleo declined"
    assert notice_text("place_free", {**notice.facts}, evening.users["Cleo"]) is None


def test_who_waits_is_reminded_as_such_and_hears_of_a_cancelled_evening(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    facts = {"meeting": evening.meeting.pk, "date": EVENING.isoformat()}
    titles = {}
    for name in ("Ann", "Cleo", "Dan"):
        text = notice_text("evening_reminder", facts, evening.users[name])
        assert text is not None
        titles[name] = text.title
    day = "Thursday 13 November 2025"
    assert titles == {
        "Ann": f"Reminder: you come on {day}",
        "Cleo": f"You are on the waiting list of {day}",
        "Dan": f"Will you come on {day}?",
    }
    change_meeting(evening.operation(), evening.meeting, state="cancelled", reason="Flood.")
    told = Notice.objects.filter(kind="evening_cancelled").values_list("user__username", flat=True)
    assert sorted(told) == ["ann", "ben", "cleo"]


def test_nobody_moves_up_once_the_evening_has_begun(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    others = players(evening.club, *"WXYZ")
    hand(table(evening.event, others, on=EVENING), 1, [4, 1, 2, 6], queen=3)
    evening.state_by_host("Ann", "absent")
    assert evening.states()["Cleo"] == "waiting"


def test_a_move_up_is_a_line_of_the_change_log(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    evening.answer("Ben", state="absent")
    lines = Change.objects.filter(facts__moved_up=True).values_list(
        "facts__player", "facts__from", "facts__to"
    )
    assert list(lines) == [(evening.players["Cleo"].player_id, "waiting", "expected")]


def test_who_fills_in_has_a_place(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    request = ask_fill_in(evening.operation(), evening.meeting)
    answer_fill_in(evening.operation("Dan"), request)
    assert evening.states()["Dan"] == "expected"
    assert evening.waiting() == {"Cleo": 1}


def test_list_of_the_host_says_places_and_who_waits(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    text = head_count_in_words(evening.event, attendance_of(evening.meeting))
    assert text.startswith("2 places, 1 waiting. Answers: 2 coming, 0 later, 0 not coming")


def test_list_of_the_host_says_who_waits_when_others_are_here(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    evening.state_by_host("Ann", "here")
    text = head_count_in_words(evening.event, attendance_of(evening.meeting))
    assert text == "1 here, 1 expected, 1 waiting: too few for a table. Places: 2"
    chat = expected_text(evening.meeting)
    assert "Places: 2" in chat
    change_meeting(evening.operation(), evening.meeting, capacity=1)
    text = head_count_in_words(evening.event, attendance_of(evening.meeting))
    assert text.endswith("Places: 1"), "fewer than those who come"


def test_too_few_are_here_only_where_those_who_come_fill_no_table(cast: Cast) -> None:
    evening = Evening(cast, None)
    evening.answer("Ben", "Cleo", "Dan")
    evening.state_by_host("Ann", "here")
    text = head_count_in_words(evening.event, attendance_of(evening.meeting))
    assert text == "1 here, 3 expected"
    evening.answer("Cleo", "Dan", state="absent")
    text = head_count_in_words(evening.event, attendance_of(evening.meeting))
    assert text == "1 here, 1 expected: too few for a table"
    evening.answer("Eva", state="late")
    text = head_count_in_words(evening.event, attendance_of(evening.meeting))
    assert text == "1 here, 1 expected"


def test_who_waits_stands_in_a_group_before_the_others_of_the_club(evening: Evening) -> None:
    evening.answer("Eva", "Ben", "Dan", "Ann")
    page = f"/clubs/riverside/events/league/meetings/{EVENING}/attendance"
    words = text_of(evening.cast.client("dirk").get(page)).partition("Press")[0]
    order = re.findall(
        r"Check in (Ann|Ben|Cleo|Dan|Eva)\b|(Waiting list)|(Others of the club)", words
    )
    assert ["".join(found) for found in order] == [
        "Ben",
        "Eva",
        "Waiting list",
        "Dan",
        "Ann",
        "Others of the club",
        "Cleo",
    ]


def test_nobody_puts_themselves_on_the_list(evening: Evening) -> None:
    with pytest.raises(Conflict, match="state_not_allowed"):
        evening.answer("Ann", state="waiting")


def has_moved_up(evening: Evening, name: str) -> bool:
    own = evening_of_player(evening.meeting, evening.players[name], now=evening.now)
    return own.has_moved_up


def test_who_moves_up_reads_so_until_they_answer_again(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    assert not has_moved_up(evening, "Cleo")
    evening.answer("Ann", state="absent")
    assert [name for name in NAMES if has_moved_up(evening, name)] == ["Cleo"]
    evening.answer("Cleo")
    assert not has_moved_up(evening, "Cleo")


def test_a_limit_that_is_lifted_moves_everybody_up(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo", "Dan")
    change_meeting(evening.operation(), evening.meeting, capacity=0)
    assert [name for name in NAMES if has_moved_up(evening, name)] == ["Cleo", "Dan"]


def test_director_reads_who_moved_up_without_a_mail(evening: Evening) -> None:
    User.objects.filter(username="cleo").update(email="cleo@mail.example")
    evening.answer("Ann", "Ben", "Cleo", "Dan", "Eva")
    change_meeting(evening.operation(), evening.meeting, capacity=4)
    assert [player.name for player in list_untold(evening.meeting)] == ["Dan"]
    page = "/clubs/riverside/events/league/meetings/2025-11-13/attendance"
    words = text_of(evening.cast.client("dirk").get(page))
    assert "1 player has moved up from the waiting list and got no mail about it: Dan." in words
    evening.state_by_host("Dan", "expected")
    assert list_untold(evening.meeting) == []


@pytest.mark.parametrize("is_off", [True, False])
def test_director_reads_of_all_who_moved_up_where_the_site_sends_no_mail(
    evening: Evening, settings: Settings, monkeypatch: pytest.MonkeyPatch, is_off: bool
) -> None:
    User.objects.filter(username="cleo").update(email="cleo@mail.example")
    if is_off:
        monkeypatch.setattr(KNOWN, "known_until", float("inf"))
        monkeypatch.setattr(KNOWN, "is_off", True)
    else:
        settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    evening.answer("Ann", "Ben", "Cleo", "Dan", "Eva")
    change_meeting(evening.operation(), evening.meeting, capacity=4)
    assert [player.name for player in list_untold(evening.meeting)] == ["Cleo", "Dan"]


def test_who_moved_up_before_mails_were_noted_is_not_listed(evening: Evening) -> None:
    evening.answer("Ann", "Ben", "Cleo")
    evening.answer("Ann", state="absent")
    for change in Change.objects.filter(facts__moved_up=True):
        del change.facts["mailed"]
        change.save()
    assert list_untold(evening.meeting) == []
    assert has_moved_up(evening, "Cleo")


class TestPairs:
    """Ann and Ben are a pair, and so are Cleo and Dan. Eva competes alone."""

    @pytest.fixture
    def evening(self, cast: Cast) -> Evening:
        evening = Evening(cast, 1)
        pairs(evening.event, [evening.players[name] for name in NAMES[:4]])
        add_entrant(by_tests(), evening.event, kind="player", players=[evening.players["Eva"]])
        return evening

    def test_one_answers_for_both_and_they_have_one_place(self, evening: Evening) -> None:
        evening.answer("Ann")
        assert evening.states() == {"Ann": "expected", "Ben": "expected"}
        evening.answer("Dan", "Eva")
        waiting = {"Cleo": "waiting", "Dan": "waiting", "Eva": "waiting"}
        assert evening.states() == {"Ann": "expected", "Ben": "expected"} | waiting
        assert evening.waiting() == {"Cleo": 1, "Dan": 1, "Eva": 2}

    def test_pair_moves_up_as_one_when_one_of_a_pair_withdraws(self, evening: Evening) -> None:
        evening.answer("Ann", "Cleo", "Eva")
        evening.answer("Ben", state="absent")
        assert evening.states() == {
            "Ann": "absent",
            "Ben": "absent",
            "Cleo": "expected",
            "Dan": "expected",
            "Eva": "waiting",
        }
        notices = Notice.objects.filter(user__in=evening.users.values())
        assert sorted(notices.values_list("user__username", flat=True)) == ["cleo", "dan"]

    def test_partner_reads_who_answered_and_may_change_it(self, evening: Evening) -> None:
        evening.answer("Ann")
        own = evening_of_player(evening.meeting, evening.players["Ben"], now=evening.now)
        assert (own.answered_by, own.partner_names) == (evening.players["Ann"], "Ann")
        evening.answer("Ben", state="late")
        assert evening.states() == {"Ann": "late", "Ben": "late"}
        own = evening_of_player(evening.meeting, evening.players["Ben"], now=evening.now)
        assert own.answered_by is None
        own = evening_of_player(evening.meeting, evening.players["Ann"], now=evening.now)
        assert own.answered_by == evening.players["Ben"]

    def test_partner_by_a_personal_link_reads_the_name_that_the_club_shows(
        self, evening: Evening
    ) -> None:
        evening.answer("Ann")
        Player.objects.filter(pk=evening.players["Ann"].pk).update(public_name="Player 1")
        ben = evening.players["Ben"]
        for event, name in ((evening.event, "Ann"), (events_of_person(ben).get(), "Player 1")):
            event.role = "player" if name == "Ann" else "public"  # type: ignore[attr-defined]  # annotated
            own = evening_of_player(meeting_on(event, EVENING), ben, now=evening.now)
            assert (own.partner_names, own.answerer_name) == (name, name)

    def test_player_alone_has_no_partner(self, evening: Evening) -> None:
        evening.answer("Eva")
        own = evening_of_player(evening.meeting, evening.players["Eva"], now=evening.now)
        assert (own.answered_by, own.partners) == (None, ())

    def test_older_of_two_answers_is_a_line_and_changes_neither(self, evening: Evening) -> None:
        early = evening.operation("Ann")
        evening.answer("Ben", state="absent")
        state_own_attendance(early, evening.meeting, state="expected")
        assert evening.states() == {"Ann": "absent", "Ben": "absent"}
        (line,) = Change.objects.filter(facts__outdated="expected")
        assert line.facts["player"] == evening.players["Ann"].player_id

    def test_host_answers_for_a_pair_before_the_evening_and_for_one_on_it(
        self, evening: Evening
    ) -> None:
        evening.state_by_host("Ann", "expected")
        assert evening.states() == {"Ann": "expected", "Ben": "expected"}
        hand(table(evening.event, players(evening.club, *"WXYZ"), on=EVENING), 1, [4, 1, 2, 6], 3)
        evening.state_by_host("Ann", "absent")
        assert evening.states() == {"Ann": "absent", "Ben": "expected"}, "a substitute plays"

    def test_who_is_here_is_not_answered_for(self, evening: Evening) -> None:
        evening.answer("Ann")
        evening.state_by_host("Ben", "here")
        assert evening.states() == {"Ann": "expected", "Ben": "here"}
        evening.answer("Ann", state="absent")
        assert evening.states() == {"Ann": "absent", "Ben": "here"}
        evening.answer("Cleo")
        assert evening.states()["Cleo"] == "waiting", "the pair has its place through Ben"

    def test_other_event_of_the_pair_is_theirs_alone(self, evening: Evening) -> None:
        other = league(evening.club, slug="other")
        meeting = plan_meeting(by_tests(), other, day=EVENING)
        state_own_attendance(evening.operation("Ann"), meeting, state="expected")
        assert Attendance.objects.get(meeting=meeting).player == evening.players["Ann"]

    def test_pages_say_that_places_are_for_pairs(self, evening: Evening, cast: Cast) -> None:
        evening.answer("Ann", "Cleo")
        text = head_count_in_words(evening.event, attendance_of(evening.meeting))
        assert text.startswith("1 place for pairs, 1 waiting. Players: 2 coming, 0 later")
        path = f"/clubs/riverside/events/league/meetings/{EVENING}/change"
        assert "Places for pairs" in text_of(cast.client("dirk").get(path))
        client = Client()
        client.force_login(evening.users["Ben"])
        path = f"/clubs/riverside/events/league/meetings/{EVENING}/coming"
        with time_machine.travel(evening.now, tick=False):
            assert "Ann gave this answer for you too." in text_of(client.get(path))
            (own,) = client.get("/api/v1/me").json()["evenings"]
        ann = evening.players["Ann"].player_id
        assert (own["partners"], own["answered_by"]) == ([ann], ann)


class TestMembersFirst:
    """Ann has the place, and Dan, a guest of the evening, waits. Cleo is a guest of the event."""

    @pytest.fixture
    def evening(self, cast: Cast) -> Evening:
        evening = Evening(cast, 1)
        self.set(evening, members_first=True)
        cleo = evening.players["Cleo"]
        add_entrant(by_tests(), evening.event, kind="player", players=[cleo], guest=True)
        evening.answer("Ann", "Dan")
        Attendance.objects.filter(player=evening.players["Dan"]).update(guest=True)
        return evening

    def set(self, evening: Evening, **values: object) -> None:
        change_settings(evening.operation(), evening.event, values=values)
        evening.event.refresh_from_db()

    def test_members_stand_before_guests_of_the_event_and_of_the_evening(
        self, evening: Evening
    ) -> None:
        evening.answer("Cleo", "Eva", "Ben")
        assert evening.waiting() == {"Eva": 1, "Ben": 2, "Dan": 3, "Cleo": 4}
        evening.answer("Ann", state="absent")
        assert evening.states()["Eva"] == "expected"
        assert evening.waiting() == {"Ben": 1, "Dan": 2, "Cleo": 3}

    def test_guest_moves_up_when_no_member_waits_and_keeps_the_place(
        self, evening: Evening
    ) -> None:
        evening.answer("Ann", state="absent")
        evening.answer("Eva")
        assert evening.states()["Dan"] == "expected", "a member displaces nobody"
        assert evening.waiting() == {"Eva": 1}

    def test_without_the_setting_the_order_is_that_of_the_answers(self, evening: Evening) -> None:
        self.set(evening, members_first=False)
        evening.answer("Cleo", "Eva")
        assert evening.waiting() == {"Dan": 1, "Cleo": 2, "Eva": 3}

    def test_members_are_before_guests_until_the_time_to_withdraw(self, evening: Evening) -> None:
        self.set(evening, withdraw_hours=24)
        change_meeting(evening.operation(), evening.meeting, at=time(19, 30))
        evening.now = datetime(2025, 11, 12, 19, 29, 58, tzinfo=UTC)
        evening.answer("Eva", "Ben")
        assert evening.waiting() == {"Eva": 1, "Dan": 2, "Ben": 3}


@pytest.mark.parametrize(
    ("movement", "label"),
    [("pairs", "Places for pairs"), ("teams", "Places for teams"), ("whist", "Places for players")],
)
def test_places_of_an_event_without_entrants_are_for_those_of_its_movement(
    cast: Cast, movement: str, label: str
) -> None:
    event = league(cast.riverside, variant="partnership-hearts-52")
    Stage.objects.filter(event=event).update(kind=movement)
    plan_meeting(by_tests(), event, day=EVENING)
    dirk = cast.client("dirk")
    meeting = f"meetings/{EVENING}"
    pages = ["new-meeting", "new-meetings", f"{meeting}/change", f"{meeting}/change-later"]
    for page in pages:
        assert label in text_of(dirk.get(f"/clubs/riverside/events/league/{page}")), page
    settings = text_of(dirk.get("/clubs/riverside/events/league/settings/change"))
    assert (label in settings) == (movement != "whist")
    add_entrant(by_tests(), event, kind="player", players=players(cast.riverside, "Ann"))
    assert "Places for players" in text_of(dirk.get(f"/clubs/riverside/events/league/{pages[0]}"))


ON_THE_DAY = datetime(2025, 11, 13, 18, 0, tzinfo=UTC)


def read_by(evening: Evening, name: str, page: str) -> str:
    client = Client()
    client.force_login(evening.users[name])
    with time_machine.travel(evening.now, tick=False):
        return text_of(client.get(page))


class TestOnlyPairs:
    """Ann and Ben are a pair, and so are Cleo and Dan. Eva is in none."""

    PATH = f"/clubs/riverside/events/league/meetings/{EVENING}"

    @pytest.fixture
    def evening(self, cast: Cast) -> Evening:
        evening = Evening(cast, 3)
        pairs(evening.event, [evening.players[name] for name in NAMES[:4]])
        return evening

    @pytest.mark.parametrize("state", ["expected", "late", "here"])
    def test_player_in_no_pair_takes_no_place_of_one(self, evening: Evening, state: str) -> None:
        evening.now = ON_THE_DAY
        with pytest.raises(Conflict, match="in_no_pair"):
            evening.answer("Eva", state=state)
        evening.answer("Ann", state=state)
        assert evening.states()["Ann"] == state

    def test_player_in_no_pair_may_say_that_they_do_not_come(self, evening: Evening) -> None:
        evening.answer("Eva", state="absent")
        assert evening.states() == {"Eva": "absent"}

    def test_player_whom_a_host_added_answers_as_others_do(self, evening: Evening) -> None:
        evening.state_by_host("Eva", "expected")
        evening.answer("Eva", state="late")
        evening.now = ON_THE_DAY
        own = evening_of_player(evening.meeting, evening.players["Eva"], now=evening.now)
        assert (own.may_check_in, own.may_answer) == (True, True)
        evening.answer("Eva", state="here")
        assert evening.states() == {"Eva": "here"}

    def test_only_players_of_pairs_are_asked(self, evening: Evening) -> None:
        asked = recipients_to_ask(evening.meeting).accounts
        assert asked == {evening.users[name].pk for name in NAMES[:4]}
        eva = evening.players["Eva"]
        evenings = own_next_evenings(Event.objects.all(), [eva], now=NOW)
        assert list(evenings) == []
        add_entrant(by_tests(), evening.event, kind="player", players=[eva])
        assert evening.users["Eva"].pk in recipients_to_ask(evening.meeting).accounts
        (own,) = own_next_evenings(Event.objects.all(), [eva], now=NOW)
        assert own.is_unanswered

    @pytest.mark.parametrize("is_of_teams", [False, True])
    def test_who_comes_anyway_reads_why_they_are_not_asked(
        self, evening: Evening, *, is_of_teams: bool
    ) -> None:
        text = "You are in no pair of this event. Ask the director."
        if is_of_teams:
            team = players(evening.club, *"VW")
            add_entrant(by_tests(), evening.event, kind="team", name="Vs", players=team)
            text = "You are in no pair or team of this event. Ask the director."
        for evening.now in (NOW, ON_THE_DAY):
            for page in ("check-in", "coming"):
                words = read_by(evening, "Eva", f"{self.PATH}/{page}")
                assert text in words
                assert "I come" not in words
                assert "evening is over" not in words
        words = read_by(evening, "Eva", "/me")
        assert text in words
        assert "I come" not in words
        assert "Check in" not in words


class TestFullOnTheDay:
    """Ann and Ben have the two places, Cleo waits. Dan has not answered, and Eva does not come."""

    PATH = f"/clubs/riverside/events/league/meetings/{EVENING}"
    ASK = (
        "All places are taken. A new answer is on the waiting list. If you are here, ask the host, "
        "who can check you in."
    )
    ASK_NOW = "All places are taken. Ask the host, who can check you in."

    @pytest.fixture
    def evening(self, evening: Evening) -> Evening:
        evening.answer("Ann", "Ben", "Cleo")
        evening.answer("Eva", state="absent")
        evening.now = ON_THE_DAY
        return evening

    def begin(self, evening: Evening) -> None:
        hand(table(evening.event, players(evening.club, *"WXYZ"), on=EVENING), 1, [4, 1, 2, 6], 3)

    @pytest.mark.parametrize("has_begun", [False, True])
    @pytest.mark.parametrize("name", ["Dan", "Eva"])
    def test_who_has_no_place_is_checked_in_by_the_host(
        self, evening: Evening, name: str, *, has_begun: bool
    ) -> None:
        if has_begun:
            self.begin(evening)
        own = evening_of_player(evening.meeting, evening.players[name], now=evening.now)
        assert (own.may_check_in, own.asks_host, own.may_answer) == (False, True, True)
        with pytest.raises(Conflict, match="places_are_taken"):
            evening.answer(name, state="here")
        evening.answer("Ann", state="here")
        evening.state_by_host(name, "here")
        assert evening.states()[name] == "here"

    def test_last_free_place_is_taken_only_where_nobody_waits(self, evening: Evening) -> None:
        self.begin(evening)
        evening.answer("Ann", state="absent")
        with pytest.raises(Conflict, match="places_are_taken"):
            evening.answer("Dan", state="here")
        evening.answer("Cleo", state="absent")
        own = evening_of_player(evening.meeting, evening.players["Dan"], now=evening.now)
        assert (own.may_check_in, own.free_places) == (True, 1)
        evening.answer("Dan", state="here")
        with pytest.raises(Conflict, match="places_are_taken"):
            evening.answer("Eva", state="here")

    def test_who_left_is_let_in_again_by_the_host(self, evening: Evening) -> None:
        evening.answer("Ann", state="here")
        evening.state_by_host("Ann", "left")
        evening.state_by_host("Dan", "here")
        own = evening_of_player(evening.meeting, evening.players["Ann"], now=evening.now)
        assert not own.may_check_in
        with pytest.raises(Conflict, match="places_are_taken"):
            evening.answer("Ann", state="here")

    def test_partner_of_who_has_a_place_checks_in(self, evening: Evening) -> None:
        pairs(evening.event, [evening.players["Ann"], evening.players["Dan"]])
        own = evening_of_player(evening.meeting, evening.players["Dan"], now=evening.now)
        assert (own.may_check_in, own.free_places) == (True, None)
        evening.answer("Dan", state="here")
        assert evening.states()["Dan"] == "here"

    @pytest.mark.parametrize("page", ["/me", "/clubs/riverside", "check-in", "coming"])
    def test_pages_say_to_ask_the_host_and_offer_no_check_in(
        self, evening: Evening, page: str
    ) -> None:
        page = page if page.startswith("/") else f"{self.PATH}/{page}"
        words = read_by(evening, "Dan", page)
        assert self.ASK in words
        words = read_by(evening, "Cleo", page)
        assert (
            "You are 1st on the waiting list and get a place when one becomes free. "
            "If you are here, ask the host, who can check you in."
        ) in words
        assert "can check in on the day" not in words
        assert "All places are taken" not in read_by(evening, "Ann", page)

    @pytest.mark.parametrize("page", ["/me", f"{PATH}/check-in", f"{PATH}/coming"])
    def test_who_waits_is_promised_nothing_once_the_evening_has_begun(
        self, evening: Evening, page: str
    ) -> None:
        self.begin(evening)
        words = read_by(evening, "Cleo", page)
        assert (
            "You are 1st on the waiting list. The evening has begun: nobody moves up any more by "
            "itself. Ask the host."
        ) in words
        assert "becomes free" not in words
        assert self.ASK_NOW in read_by(evening, "Dan", page)
        assert "your answer is late" not in words
        assert "can change the answer until" not in words
