"""Imports: files that come in, conflicts, undo."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Q

from scoring.errors import Problem, Refused
from tests.support.builders import TESTS
from tests.support.cast import NOW
from tests.support.imports.imports import imported
from tests.support.random_acts.random_actor import NothingThere, RandomActor
from tournaments.models.clubs import Player
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.meetings import Round, Sitting
from tournaments.services.imports.resolve_problem import conflict_game, use_file_hand
from tournaments.services.imports.undo import request_undo, undo_steps


class ImportActs(RandomActor):
    """Imports: files that come in, conflicts, undo."""

    def do_import(self) -> None:
        event = self.event(among=self.world.leagues)
        sat = self.games(event=event, state__in=("playing", "complete"))
        sat = sat.filter(table__round__state="playing")
        rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
        last = Round.objects.filter(event=event).order_by("-number").first()
        number = (last.number if last else 0) + 1
        people = self.chance.sample(self.world.people, 4)
        rows += self._rows(number, 1, 1, people)
        if (game := sat.order_by("?").first()) is not None:
            sittings = Sitting.objects.filter(seat__table=game.table_id, to_hand=None)
            own = [
                sitting.player
                for sitting in sittings.order_by("seat__number").select_related("player")
            ]
            if len(own) == 4:
                rows += self._rows(
                    game.table.round.number, game.table.number, self.chance.randrange(100, 900), own
                )
        self.files += 1
        path = self.place / f"{self.name}-{self.files}.csv"
        path.write_text("\n".join(rows))
        if not imported(path, event=event.slug, now=NOW).accepted:
            raise Refused(Problem("nothing_accepted"))

    def _rows(self, number: int, at: int, hand: int, people: Sequence[Player]) -> list[str]:
        day = (NOW.date() + timedelta(days=number)).isoformat()
        hearts = self.chance.choice([(4, 1, 2, 6), (1, 5, 5, 2), (3, 3, 3, 4)])
        before = f"{day},{number},{at},{hand}"
        return [
            f"{before},{'NESW'[seat]},{player.player_id},{hearts[seat]},{int(seat == 3)}"
            for seat, player in enumerate(people)
        ]

    def do_import_conflict(self) -> None:
        """Import a hand that is there with other counts: it waits for somebody to choose."""
        hands = Hand.objects.filter(
            game__event__in=self.world.leagues, state="accepted", number__gt=0,
            game__event__state="open", game__table__round__state="playing",
        )  # fmt: skip
        hand = self.pick(hands.select_related("game__table__round", "game__event"))
        sittings = Sitting.objects.filter(seat__table=hand.game.table_id, to_hand=None)
        own = [
            sitting.player for sitting in sittings.order_by("seat__number").select_related("player")
        ]
        if len(own) != 4:
            raise NothingThere
        at = hand.game.table
        rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
        rows += self._rows(at.round.number, at.number, hand.number, own)
        self.files += 1
        path = self.place / f"{self.name}-{self.files}.csv"
        path.write_text("\n".join(rows))
        imported(path, event=hand.game.event.slug, now=NOW)

    def do_use_file_hand(self) -> None:
        import_problems = ImportProblem.objects.filter(code="hand_exists", state="open")
        problem = self.pick(import_problems.select_related("batch__event__club", "batch__club"))
        game = conflict_game(problem, problem.batch.event)
        assert problem.hand is not None
        hand = game.hands.filter(number=problem.hand).first()  # or somebody took it away
        use_file_hand(
            actor=TESTS, problem=problem, based_on=hand.revision if hand else 1,
            reason="as on paper", now=NOW,
        )  # fmt: skip

    def do_undo_import(self) -> None:
        brought = Q(added__gt=0) | Q(replacements__isnull=False)
        import_batches = ImportBatch.objects.filter(brought, state="done", event__state="open")
        batch = self.pick(import_batches.select_related("event__club"))
        request_undo(actor=TESTS, batch=batch, now=NOW)
        self._undo(batch)

    def _undo(self, batch: ImportBatch) -> None:
        for _ in undo_steps(batch, now=NOW):
            pass
