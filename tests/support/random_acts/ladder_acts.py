"""The ladder: challenges and their results."""

from datetime import datetime, timedelta
from typing import Any

from tests.support.builders import TESTS
from tests.support.cast import NOW
from tests.support.random_acts.random_actor import RandomActor
from tests.support.random_acts.world import MEMBERS
from tournaments.models.events import Event
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.selectors.ladders.log import current_ladder
from tournaments.services.ladders import challenges
from tournaments.services.ladders.challenges import issue_challenge


class LadderActs(RandomActor):
    """The ladder: challenges and their results."""

    def _ladder(self) -> Event:
        return self.event(among=[self.world.ladder])

    def _challenge(self, *states: str) -> Challenge:
        found = Challenge.objects.filter(event=self.world.ladder, state__in=states)
        one: Challenge = self.pick(found.select_related("event__club", "challenger", "challenged"))
        return one

    def do_challenge(self) -> None:
        event = self._ladder()
        order = list(current_ladder(event).order)
        waiting = Challenge.objects.filter(event=event, state__in=OPEN_CHALLENGES)
        busy = {
            one
            for two in waiting.values_list("challenger__code", "challenged__code")
            for one in two
        }
        at = self.pick([at for at in range(1, len(order)) if not busy & {order[at], order[at - 1]}])
        issue_challenge(
            actor=TESTS,
            event=event,
            challenger=order[at],
            challenged=order[at - 1],
            now=self.then(),
        )

    def then(self) -> datetime:
        return NOW + timedelta(seconds=next(self.world.moments))

    def _answer(self, one: Challenge, to: str, **more: Any) -> None:
        moment = max(filter(None, (one.issued_at, one.accepted_at, one.played_at)))
        challenges.answer_challenge(
            actor=TESTS, event=one.event, number=one.number, to=to,
            now=moment + timedelta(minutes=5), reason="agreed", **more,
        )  # fmt: skip

    def do_accept(self) -> None:
        self._answer(self._challenge("issued"), "accepted")

    def do_decline(self) -> None:
        self._answer(self._challenge("issued"), self.chance.choice(["declined", "withdrawn"]))

    def do_cancel(self) -> None:
        self._answer(self._challenge("accepted"), "cancelled")

    def do_result(self) -> None:
        one = self._challenge("accepted")
        others = self.chance.sample(self.world.people[:MEMBERS], MEMBERS)
        two = [one.challenger.code, one.challenged.code]
        codes = [*two, *[other.player_id for other in others if other.player_id not in two][:2]]
        points = dict(zip(codes, self.chance.sample((10, 20, 30, 44), 4), strict=True))
        challenges.enter_result(
            actor=TESTS, event=one.event, number=one.number, points=points,
            now=(one.accepted_at or NOW) + timedelta(minutes=5),
        )  # fmt: skip

    def do_confirm(self) -> None:
        self._answer(self._challenge("played"), "confirmed")

    def do_dispute_result(self) -> None:
        self._answer(self._challenge("played"), "accepted")
