"""A draft is drawn again while somebody posts it, or corrects what it was drawn from."""

import pytest

from tests.support.builders import by_tests, finished, hand, league, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.evenings import evening
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Within, get_game
from tournaments.models.rounds import Meeting, Round, RoundState
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.drafts import draw_round_again, move_drawn_round
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = [pytest.mark.pg, pytest.mark.timeout(300)]

TURNS = short_or_long(2, 15)
WON = ([4, 1, 2, 6], [1, 4, 2, 6])


class Evening:
    """Eight after a closed round of two tables; each turn drafts the next, then corrects a hand."""

    def __init__(self, within: Within) -> None:
        self.within = within
        with within():
            self.event = league(enter_the_cast().riverside, settings={"primary": "beaten_mean"})
            meeting, people = evening(self.event, 8)
            for at in (0, 4):
                finished(table(self.event, people[at : at + 4], table_number=1 + at // 4))
            Round.objects.update(state=RoundState.CLOSED)
            publish(self.event.pk, now=NOW)
            self.day = meeting.pk

    def begin(self) -> None:
        with self.within():
            Round.objects.filter(number=2).delete()
            publish(self.event.pk, now=NOW)
            meeting = Meeting.objects.select_related("event__club", "club").get(pk=self.day)
            plan = make_plans(by_tests(), meeting, movement="swiss")[0]
            choose_plan(by_tests(), plan)
            make_round_of_plan(by_tests(), plan)
            self.correct()
            publish(self.event.pk, now=NOW)

    def correct(self) -> None:
        game = get_game(table__code="r1t1")
        revision = game.hands.get().revision
        hand(game, 1, WON[revision % 2], 3, based_on=revision, reason="Misread.")

    def draw_again(self) -> None:
        draw_round_again(by_tests(), Round.objects.get(number=2))

    def post(self) -> None:
        move_drawn_round(by_tests(), Round.objects.get(number=2), to="posted")

    def post_anyway(self) -> None:
        round_ = Round.objects.get(number=2)
        move_drawn_round(by_tests(), round_, to="posted", anyway=True)

    def holds(self) -> str:
        """Everybody has one seat in one round; return its state."""
        with self.within():
            round_ = Round.objects.get(number=2)
            tables = round_seating(round_).tables
            assert sorted(len(table.players) for table in tables) == [4, 4]
            assert len({player for table in tables for player in table.players}) == 8
            return str(round_.state)


@pytest.fixture
def night(within: Within) -> Evening:
    return Evening(within)


def test_draft_is_drawn_again_before_or_after_somebody_posts_it(night: Evening) -> None:
    for _ in range(TURNS):
        night.begin()
        refused = night.within.at_once(night.draw_again, night.post)
        assert refused in ([], ["draft_out_of_date"]), refused
        assert night.holds() == ("draft" if refused else "posted")


def test_draft_that_is_posted_anyway_is_drawn_again_before_or_not_at_all(night: Evening) -> None:
    for _ in range(TURNS):
        night.begin()
        refused = night.within.at_once(night.draw_again, night.post_anyway)
        assert refused in ([], ["draft_not_drawn"]), refused
        assert night.holds() == "posted"


def test_two_directors_draw_again(night: Evening) -> None:
    night.begin()
    refused = night.within.at_once(night.draw_again, night.draw_again)
    assert refused == ["standings_not_published"], "the first one is not published yet"
    assert night.holds() == "draft"


def test_correction_while_its_draft_is_drawn_again(night: Evening) -> None:
    for _ in range(TURNS):
        night.begin()
        refused = night.within.at_once(night.draw_again, night.correct)
        assert refused in ([], ["standings_not_published"]), refused
        night.holds()
