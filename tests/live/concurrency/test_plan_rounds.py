"""Plans and their rounds are made, changed, posted and redrawn at one moment, whole."""

from collections import Counter
from functools import partial

import pytest

from tests.support.builders import by_tests, hand, league, players
from tests.support.cast import enter_the_cast
from tests.support.evenings import check_in, evening, plans
from tests.support.lengths import short_or_long
from tests.support.live.at_once import HEARTS, Action, Within, get_game
from tests.support.scenarios.open_nights import OpenNightEvening
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Attendance, Meeting, Round, SitOut, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.seating_changes import (
    SeatingChange,
    SeatingNow,
    digest_of_way,
    ways_of,
)
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.hands.redraw_tables import redraw_tables
from tournaments.services.ladders.members import move_entrant
from tournaments.services.rounds.arrange_round import change_seating, sit_out_unseated
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import change_round_game, make_round, move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.form_tables import form_tables
from tournaments.services.seating_plans.make_plans import make_plans
from tournaments.services.seating_plans.next_round import make_next_round

pytestmark = pytest.mark.pg

ROUNDS: list[tuple[list[tuple[int, ...]], list[int]]] = [
    ([(1, 2, 3, 4), (5, 6, 7, 8)], [9]),
    ([(9, 5, 1, 6), (2, 7, 3, 8)], [4]),
]
OUTDATED = "round_seating_outdated"
TURNS = short_or_long(2, 15)


class Night:
    """The evening; each turn begins without rounds."""

    def __init__(self, within: Within) -> None:
        self.within = within
        with within():
            self.evening: PlannedEvening = planned_evening(enter_the_cast(), ROUNDS)
            self.evening.here(*range(1, 10))

    def begin(self, *, posted: bool = False) -> None:
        with self.within():
            Round.objects.all().delete()
            made = self.evening.seat()
            if posted:
                move_round(by_tests(), made, to="posted")

    def change(self, change: SeatingChange) -> Action:
        """The first way of a change, as it is looked at now."""
        with self.within():
            round_ = Round.objects.select_related("event__club", "meeting", "club").get(number=1)
            now = SeatingNow(round_)
            way = digest_of_way(ways_of(now, change)[0])
        return lambda: change_seating(
            by_tests(), round_, change=change, way=way, tag=now.seating.tag
        )

    def holds(self, number: int = 1) -> None:
        """Everybody has one place in the round: a seat, or a sit-out."""
        with self.within():
            seating = round_seating(Round.objects.get(number=number))
            places = Counter(player for table in seating.tables for player in table.players)
            places.update(list(seating.sit_outs))
            assert set(places.values()) == {1}, places
            assert len(places) == 9


@pytest.fixture
def night(within: Within) -> Night:
    return Night(within)


def post() -> object:
    return move_round(by_tests(), Round.objects.get(), to="posted")


def enter() -> object:
    return hand(Game.objects.get(table__code="r1t1"), 1, HEARTS, 3)


def test_next_round_is_seated_once_by_two_directors(night: Night) -> None:
    plan = night.evening.plan
    seat = partial(make_round_of_plan, by_tests(), plan, plan_round=1)
    for turn in range(1, TURNS + 1):
        with night.within():
            Round.objects.all().delete()
        assert night.within.at_once(seat, seat) == []
        night.holds()
        with night.within():
            assert Round.objects.count() == 1
            assert AuditLine.objects.filter(act="make_round_of_plan").count() == turn


def test_next_round_is_planned_and_seated_once_by_two_directors(night: Night) -> None:
    """The plan has two rounds, both closed: a third one needs a new plan."""
    evening = night.evening
    press = partial(make_next_round, by_tests(), evening.meeting, after=2)
    for _ in range(TURNS):
        with night.within():
            Round.objects.all().delete()
            SeatingPlan.objects.exclude(pk=evening.plan.pk).delete()
            SeatingPlan.objects.update(state="chosen")
            for _number in (1, 2):
                evening.seat()
                Round.objects.update(state="closed")
        assert night.within.at_once(press, press) == []
        with night.within():
            assert list(Round.objects.values_list("number", "state")) == [
                *((1, "closed"), (2, "closed"), (3, "draft")),
            ]
            assert SeatingPlan.objects.filter(state="chosen").count() == 1
        night.holds(3)


def test_sit_out_and_seat_of_one_player_at_one_moment_leave_one_place(night: Night) -> None:
    event, people = night.evening.event, night.evening.people
    for _ in range(TURNS):
        with night.within():
            Round.objects.all().delete()
            round_ = make_round(by_tests(), event, number=1)
        rest = partial(sit_out, by_tests(), round_, entrant="RL01", reason="rest")
        seat = partial(seat_table, by_tests(), event, round_number=1, players=people[:4])
        refused = night.within.at_once(rest, seat)
        with night.within():
            assert Sitting.objects.filter(player=people[0]).count() == 1, refused
            assert not SitOut.objects.exists()


def test_player_is_checked_out_before_or_after_the_round_is_made(night: Night) -> None:
    event, evening = night.evening.event, night.evening
    with night.within():
        op, first = by_tests(), evening.people[:1]
        entrant = add_entrant(op, event, kind="player", players=first)
    move = partial(move_entrant, op, entrant, reason="Ill.")
    leave = partial(move, to="withdrawn", check_out=True)
    for _ in range(TURNS):
        with night.within():
            Round.objects.all().delete()
            evening.here(1)
        refused = night.within.at_once(leave, evening.seat)
        assert refused in ([], ["planned_players_changed"]), refused
        with night.within():
            assert Attendance.objects.get(player=evening.row(1)).state == "left"
            is_seated = Sitting.objects.filter(player=evening.row(1)).exists()
            assert is_seated == (not refused) == Round.objects.exists()
            move(to="active")


def test_round_is_posted_once(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()

        assert night.within.at_once(post, post) == ["state_not_allowed"]
        night.holds()


def test_swap_and_a_first_hand_at_its_table(night: Night) -> None:
    night.begin(posted=True)
    rows = night.evening.row
    swap = night.change(SeatingChange("swap", (rows(1), rows(5))))

    refused = night.within.at_once(swap, enter)
    assert refused in ([], [OUTDATED], ["table_has_hands"]), refused
    night.holds()
    with night.within():
        north = Sitting.objects.get(seat__table__code="r1t1", seat__number=1)
        assert north.player_id == (rows(1) if refused else rows(5))
        assert Hand.objects.count() == 1


def test_somebody_leaves_while_two_swap(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()
        rows = night.evening.row
        swap = night.change(SeatingChange("swap", (rows(2), rows(6))))
        leave = night.change(SeatingChange("leave", (rows(2),)))
        assert night.within.at_once(swap, leave) == [OUTDATED]
        night.holds()
        with night.within():
            assert SitOut.objects.count() == 1


def test_player_gets_a_seat_while_those_without_one_sit_out(night: Night) -> None:
    rows = night.evening.row
    for _ in range(TURNS):
        night.begin()
        with night.within():
            SitOut.objects.all().delete()
            round_ = Round.objects.select_related("event__club", "club").get()
        seat = night.change(SeatingChange("swap", (rows(1), rows(9))))
        rest = partial(sit_out_unseated, by_tests(), round_)
        refused = night.within.at_once(seat, rest)
        assert refused in ([], [OUTDATED]), refused
        night.holds()
        with night.within():
            player = SitOut.objects.get().entrant.members.get().player_id
            assert player == (rows(9) if refused else rows(1))


@pytest.mark.tier_long
def test_change_while_the_round_is_posted(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()
        rows = night.evening.row
        swap = night.change(SeatingChange("swap", (rows(1), rows(5))))

        assert night.within.at_once(swap, post) in ([], [OUTDATED])
        night.holds()
        with night.within():
            assert Round.objects.get().state == "posted"


def test_round_changes_its_game_before_its_first_hand_or_not_at_all(night: Night) -> None:
    def change() -> object:
        target = {"target": 61}
        return change_round_game(by_tests(), Round.objects.get(), variant="hearts", options=target)

    night.begin(posted=True)
    refused = night.within.at_once(change, enter)
    assert refused in ([], ["table_has_hands"]), refused
    with night.within():
        targets = {game.snapshot.options.get("target") for game in Game.objects.all()}
        assert targets == {None if refused else 61}
        assert Hand.objects.count() == 1


class Redraws:
    """An evening; each turn posts a round and enters a hand."""

    def __init__(self, within: Within) -> None:
        self.within, self.number = within, 0
        with within():
            self.evening = planned_evening(enter_the_cast(), ROUNDS[:1] * (2 * TURNS))
            self.evening.here(*range(1, 10))

    def begin(self) -> None:
        with self.within():
            Round.objects.update(state="closed")
            made = self.evening.seat()
            self.number = made.number
            move_round(by_tests(), made, to="posted")
            self.enter(1, 1)()

    def enter(self, table: int, number: int) -> Action:
        code = f"r{self.number}t{table}"
        return lambda: hand(get_game(table__code=code), number, HEARTS, 3)

    def redraw(self, scope: str, hands: int = 1) -> Action:
        with self.within():
            rounds = Round.objects.select_related("event__club", "club", "meeting")
            round_ = rounds.get(number=self.number)
            tag = round_seating(round_).tag
        return lambda: redraw_tables(
            by_tests(), round_, scope=scope, reason="Wrong seats.", hands=hands, tag=tag,
        )  # fmt: skip

    def holds(self, *, is_redrawn: bool) -> None:
        """Each of the eight has one open seat; what counts is what the open tables have."""
        with self.within():
            open_ones = Sitting.objects.filter(round__number=self.number, to_hand__isnull=True)
            seats = Counter(open_ones.values_list("player_id", flat=True))
            assert set(seats.values()) == {1}
            assert len(seats) == 8
            counted = Hand.objects.filter(state="accepted")
            games = set(counted.values_list("game_id", flat=True))
            assert set(Contribution.objects.values_list("game_id", flat=True)) == games
            assert not counted.filter(game__state="abandoned").exists()
            own = f"event:league/round:{self.number}"
            actions = AuditLine.objects.filter(act="redraw_tables", subject=own)
            assert actions.count() == int(is_redrawn)


@pytest.fixture
def redraws(within: Within) -> Redraws:
    return Redraws(within)


def test_another_hand_at_a_table_that_a_redraw_abandons(redraws: Redraws) -> None:
    for _ in range(TURNS):
        redraws.begin()
        refused = redraws.within.at_once(redraws.redraw("all"), redraws.enter(1, 2))
        assert refused in (["redraw_discards_hands"], ["table_abandoned"]), refused
        redraws.holds(is_redrawn=refused == ["table_abandoned"])


def test_first_hand_at_a_table_that_is_redrawn(redraws: Redraws) -> None:
    for scope in ("unplayed", "all") * TURNS:
        redraws.begin()
        refused = redraws.within.at_once(redraws.redraw(scope), redraws.enter(2, 1))
        assert refused in ([], ["round_seating_outdated"]), refused
        redraws.holds(is_redrawn=not refused)


def test_two_redraws(redraws: Redraws) -> None:
    for _ in range(TURNS):
        redraws.begin()
        refused = redraws.within.at_once(redraws.redraw("all"), redraws.redraw("all"))
        assert refused == ["round_seating_outdated"]
        redraws.holds(is_redrawn=True)


@pytest.mark.tier_long
def test_two_plans_chosen_at_once_leave_one_chosen(within: Within) -> None:
    with within():
        meeting, _people = evening(league(enter_the_cast().riverside), 9)
    for turn in range(short_or_long(2, 20)):
        with within():
            SeatingPlan.objects.filter(meeting=meeting).delete()
            one, other, _third = plans(meeting, 2, seed=turn)
        refused = within.at_once(
            partial(choose_plan, by_tests(), one), partial(choose_plan, by_tests(), other)
        )
        assert refused == []
        with within():
            states = SeatingPlan.objects.filter(pk__in=(one.pk, other.pk))
            assert sorted(states.values_list("state", flat=True)) == ["chosen", "superseded"]


def test_plan_chosen_while_others_are_made_is_kept_or_gone(within: Within) -> None:
    with within():
        meeting, _people = evening(league(enter_the_cast().riverside), 8)
    for turn in range(short_or_long(2, 20)):
        with within():
            SeatingPlan.objects.filter(meeting=meeting).delete()
            (plan,) = plans(meeting, 2, seed=turn)
        refused = within.at_once(
            partial(choose_plan, by_tests(), plan),
            lambda: make_plans(by_tests(), meeting, rounds=3, seed=1),
        )
        assert refused in ([], ["unknown_plan"])
        with within():
            left = SeatingPlan.objects.filter(meeting=meeting)
            states = sorted(left.values_list("state", flat=True))
            assert states == (["draft"] if refused else ["chosen", "draft"])


def planned(meeting: Meeting) -> SeatingPlan:
    (plan,) = make_plans(by_tests(), meeting, rounds=1, movement="pairs", seed=1)
    return plan


@pytest.mark.tier_long
def test_plan_chosen_while_a_pair_changes_seats_nobody_with_an_old_partner(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside, variant="partnership-hearts-pooled")
        meeting, people = evening(event, 4)
        spare = players(event.club, "Zoe Z.")[0]
        for one, other in (people[:2], people[2:]):
            add_entrant(by_tests(), event, kind="pair", players=[one, other])

    def change(partner: Player) -> None:
        change_entrant(
            by_tests(), get_entrant(event, "pair-2"), name="", players=[people[2], partner]
        )

    for _turn in range(short_or_long(2, 20)):
        with within():
            SeatingPlan.objects.all().delete()
            change(people[3])
            plan = planned(meeting)
        refused = within.at_once(partial(choose_plan, by_tests(), plan), partial(change, spare))
        assert refused in ([], ["plan_partners_changed"])
        with within():
            plan.refresh_from_db()
            assert (plan.state == "chosen") == (refused == [])
            if plan.state == "chosen":
                with pytest.raises(Conflict, match="plan_partners_changed"):
                    make_round_of_plan(by_tests(), plan)
            assert not Round.objects.exists()


def seated() -> Counter[int]:
    rows = Sitting.objects.filter(to_hand=None, seat__table__game__state__in=("seated", "playing"))
    return Counter(rows.values_list("player_id", flat=True))


def test_tables_formed_twice_at_once_seat_nobody_twice(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        night = OpenNightEvening(event, 9)
        meeting = night.meeting
    form = partial(form_tables, by_tests(), meeting)
    picked = ["RL01", "RL02", "RL03"]
    both = (
        [form, form],
        [form, partial(form, is_single=True)],
        [partial(form, players=picked), partial(form, players=["RL03", "RL04", "RL05"])],
        [form, partial(form, players=picked)],
    )
    for turn in range(short_or_long(4, 24)):
        refused = within.at_once(*both[turn % len(both)])
        assert set(refused) <= {"too_few_free", "player_not_free"}
        assert len(refused) <= 1
        with within():
            times = seated()
            assert times
            assert set(times.values()) == {1}
            Game.objects.filter(event=event).update(state="complete")


def test_two_rounds_are_not_made_for_two_directors(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        night = OpenNightEvening(event, 4)
        night.form()
        night.end("r1t1")
        check_in(night.meeting, players(event.club, "Wim W.", "Xaver W.", "Yann W.", "Zita W."))
        meeting = night.meeting
    picked = ["RL05", "RL06", "RL01"], ["RL07", "RL08", "RL02"]
    actions = [partial(form_tables, by_tests(), meeting, players=one) for one in picked]
    assert within.at_once(*actions) == []
    with within():
        assert list(Round.objects.order_by("number").values_list("number", flat=True)) == [1, 2]
        assert Round.objects.get(number=2).tables.count() == 2
