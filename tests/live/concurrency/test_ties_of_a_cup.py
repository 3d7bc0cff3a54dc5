"""A tie at a table of a knock-out while others write: no round is posted while it is undecided, and
it has one play-off."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import transaction

from tests.support.builders import by_tests, hand
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Action, Within, get_game, waiting_for_locks
from tests.support.live.project import wait_until
from tests.support.scenarios.cups import cup, planned, post
from tests.support.scenarios.cuts import asked, close
from tests.support.scenarios.playoffs import play, playing, view
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Hand
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.playoffs import Playoff, PlayoffStep
from tournaments.models.rounds import Meeting, Round, Sitting
from tournaments.services.playoffs.director_actions import move_playoff
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = [pytest.mark.pg, pytest.mark.timeout(300)]

TURNS = short_or_long(2, 20)
CLEAR, TIED = [2, 4, 6, 1], [1, 4, 4, 4]
OPEN = {
    *("table_tie_open", "table_tie_found", "standings_not_published", "plan_scores_changed"),
    "knockout_tie",
}
"""Why a director does not go on from a round: its tie, or what was not looked at yet.

`knockout_tie` comes of a hand that is stored after the tie was found decided, before the places
are read.
"""


class Cup:
    """Eight at two tables, the best two of each go on; seats 2 and 3 of table 2 may be tied."""

    def __init__(self, within: Within) -> None:
        self.within = within
        with within():
            self.dirk, self.event = cup(enter_the_cast(), 8, each_round={"each_table": 2})
            post(self.dirk, planned(self.dirk))
            sat = Sitting.objects.filter(seat__table__code="r1t2", seat__number__in=(2, 3))
            names = sat.order_by("seat__number").values_list("player__name", flat=True)
            self.pair: list[str] = list(names)
            for code, hearts in (("r1t1", CLEAR), ("r1t2", TIED)):
                hand(get_game(table__code=code), 1, hearts, 3)
            close(Event.objects.get(), 1)
            self.work()

    def draw(self) -> Round:
        meeting = Meeting.objects.select_related("event__club", "club").get(date="2025-11-13")
        plan = make_plans(by_tests(), meeting, movement="knockout")[0]
        plan = choose_plan(by_tests(), plan)
        return make_round_of_plan(by_tests(), plan)

    def post(self) -> None:
        rounds = Round.objects.select_related("event__club", "club", "stage", "meeting")
        round_ = rounds.exclude(stage__kind="playoff").latest("number")
        move_round(by_tests(), round_, to="posted")

    def after_reading(self, action: Action) -> Action:
        """Let an action of the same moment be first, while the page of the play-off is read."""

        def work() -> None:
            assert self.dirk.get("/clubs/riverside/events/league/playoffs/1").status_code == 200
            action()

        return work

    def go_on(self) -> None:
        self.draw()
        self.post()

    def remove_round(self) -> None:
        with self.within():
            Round.objects.exclude(stage__kind="playoff").filter(number__gt=1).delete()
            self.work()

    def correct(self, hearts: list[int]) -> None:
        game = get_game(table__code="r1t2")
        revision = Hand.objects.get(game=game).revision
        hand(game, 1, hearts, 3, based_on=revision, reason="Misread.")

    def play(self, first: int, second: int, number: int = 1) -> None:
        known = Hand.objects.filter(game=playing(self.event), number=number).first()
        scores = dict(zip(self.pair, (first, second), strict=True))
        based_on = known.revision if known else None
        play(self.event, number, scores, based_on=based_on, reason="Misread." if known else "")

    def work(self) -> None:
        """Do what a worker does after hands that come meanwhile."""
        for _ in range(3):
            publish(self.event.pk, now=NOW)
            schedule_playoffs(self.event.pk, now=NOW)
            review_cuts(self.event.pk, now=NOW)

    def seated(self) -> set[str]:
        rounds = Round.objects.exclude(stage__kind="playoff").filter(number__gt=1, state="posted")
        sat = Sitting.objects.filter(round__in=rounds, player__name__in=self.pair)
        return {*sat.values_list("player__name", flat=True)}

    def is_asked(self) -> bool:
        """Whether the director is asked what the correction made of the round that was drawn."""
        found = asked(Stage.objects.get(number=1))
        return bool(found and found["tie"])

    def came_last(self) -> str:
        actions = AuditLine.objects.filter(act__in=("move_round", "correct_hand"))
        return actions.order_by("-number").values_list("act", flat=True)[0]


@pytest.fixture
def tie(within: Within) -> Cup:
    return Cup(within)


def test_next_round_is_posted_while_the_deciding_hand_is_corrected(tie: Cup) -> None:
    with tie.within():
        tie.play(2, 6)
    for turn in range(TURNS):
        tie.remove_round()
        with tie.within():
            tie.draw()
        post = tie.after_reading(tie.post) if turn % 2 else tie.post
        refused = tie.within.at_once(post, partial(tie.play, 4, 4), tie.work)
        assert refused in ([], ["table_tie_open"]), refused
        with tie.within():
            tie.work()
            assert tie.seated() == (set() if refused else {tie.pair[0]})
            assert tie.is_asked() is not bool(refused)
            assert tie.came_last() == "correct_hand"
            assert view(tie.event).state == "in_play"
            assert Hand.objects.get(game__counts=False).revision == 2 * turn + 2
            tie.play(2, 6)


def test_next_round_is_planned_while_the_tie_is_decided_and_tied_again(tie: Cup) -> None:
    with tie.within():
        tie.play(4, 4)
    for turn in range(2 * TURNS):
        tie.remove_round()
        scores = ((2, 6), (4, 4), (6, 2), (4, 4))[turn % 4]
        refused = tie.within.at_once(tie.go_on, partial(tie.play, *scores), tie.work)
        assert len(refused) < 2, refused
        assert {*refused} <= OPEN, refused
        with tie.within():
            winner = tie.pair[0] if turn % 4 < 2 else tie.pair[1]
            assert tie.seated() == (set() if refused else {winner})
            assert Playoff.objects.count() == PlayoffStep.objects.count() == 1
            assert Hand.objects.get(game__counts=False).revision == turn + 2


def test_next_round_is_posted_while_workers_make_the_playoff_of_a_tie(tie: Cup) -> None:
    for _ in range(TURNS):
        with tie.within():
            tie.correct(CLEAR)
        tie.remove_round()
        with tie.within():
            tie.draw()
        refused = tie.within.at_once(tie.post, partial(tie.correct, TIED), tie.work, tie.work)
        with tie.within():
            tie.work()
            assert Playoff.objects.exclude(state="void").count() == len(refused)
            assert tie.is_asked() is not bool(refused)
            assert tie.came_last() == "correct_hand"
        assert refused in ([], ["table_tie_open"], ["table_tie_found"]), refused


def test_round_is_not_posted_where_the_hand_that_ties_was_first(tie: Cup) -> None:
    with tie.within():
        tie.correct(CLEAR)
    tie.remove_round()
    with tie.within():
        tie.draw()
    works = []
    with ThreadPoolExecutor(2) as pool:
        with tie.within(), transaction.atomic():
            Dirty.objects.select_for_update().get(scope=event_scope(tie.event.pk))
            for action in (partial(tie.correct, TIED), tie.post):
                works.append(pool.submit(tie.within.at_once, action))
                wait_until(lambda: waiting_for_locks() == len(works), what="it waits for the row")
        assert [work.result() for work in works] == [[], ["table_tie_found"]]


def test_lot_is_drawn_on_the_page_beside_a_hand(tie: Cup) -> None:
    def lot(number: int) -> None:
        page = f"/clubs/riverside/events/league/playoffs/{number}/direct"
        assert tie.dirk.post(page, {"act": "by_lot"}).status_code in (302, 422)

    for number in range(1, TURNS + 1):
        with tie.within():
            tie.play(4, 4)
        second: Action = partial(tie.play, 2, 6, 2)
        second = second if number % 2 else tie.after_reading(second)
        refused = tie.within.at_once(partial(lot, number), second)
        with tie.within():
            found = view(tie.event, number)
            if refused:
                assert (refused, found.state) == (["playoff_over"], "by_lot")
            else:
                assert (found.state, found.members[0].player) == ("decided", tie.pair[0])
            steps = Playoff.objects.get(number=number).steps.values_list("kind", flat=True)
            assert sorted(steps) == (["hand", "lots"] if refused else ["hand", "hand"])
            assert playing(tie.event).hands.count() == 2 - len(refused)
            void = partial(move_playoff, by_tests(), tie.event, number=number)
            void(to="void", reason="Once more.")
            tie.work()
