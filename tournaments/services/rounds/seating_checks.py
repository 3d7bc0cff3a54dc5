"""Checks before people are seated at a table: states, stage, sides, other tables."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce, Greatest

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, Event, Stage, StageKind, StageTakes
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round, Sitting
from tournaments.policy import Actor
from tournaments.selectors.rounds.round_seating import not_in_stage, players_in
from tournaments.selectors.rounds.tables import PlayingGroups, abandoned_without_hands, side_shape
from tournaments.selectors.seating_plans.current_stage import stage_to_plan
from tournaments.services.events.states import require_running
from tournaments.services.operations import require_role


def require_open(actor: Actor, role: str, game: Game) -> None:
    """Allow sheets to be entered during their round, and later for roles that may correct them.

    The rounds of a play-off are played although the event is closed.
    """
    round_ = game.table.round
    is_over = game.event.state == "final" and round_.state != "closed" and game.counts
    if game.event.state == "draft" or is_over:
        raise Conflict(Problem("event_not_open", facts={"state": game.event.state}))
    if round_.state == "draft":
        raise Conflict(Problem("round_is_draft", facts={"round": round_.number}))
    if round_.state == "closed" or (not game.event.is_open and game.counts):
        require_role(actor, role, "correct_closed")


def table_abandoned(code: str, number: int) -> Problem:
    return Problem("table_abandoned", facts={"table": code, "number": number})


def require_not_abandoned(actor: Actor, role: str, game: Game, hand: Hand | None) -> None:
    """Refuse new hands at an abandoned table; existing ones may be corrected.

    Its hands score only if the director decides so: a hand that does not count can be restored by
    roles that may correct after the round.

    Args:
        hand: the revised hand; None for a new one.
    """
    if game.state != "abandoned":
        return
    if hand is None:
        raise Conflict(table_abandoned(game.table.code, game.table.number))
    if hand.state != "accepted":
        require_role(actor, role, "correct_closed")


def require_ordinary(game: Game) -> None:
    """Refuse tables of play-offs, which the play-offs create and close themselves."""
    if not game.counts:
        raise Conflict(Problem("table_of_a_playoff", facts={"table": game.table.code}))


def require_changeable(game: Game) -> None:
    """Refuse to change a table's state unless its event runs and its round is not closed."""
    require_running(game.event)
    require_round_open(game.table.round, "state")


def require_round_open(round_: Round, *at: str) -> None:
    if round_.state == "closed":
        raise Conflict(Problem("round_is_closed", at, {"round": round_.number}))


def require_no_playoff(round_: Round, at: str = "round") -> None:
    if round_.stage.kind == StageKind.PLAYOFF:
        raise Conflict(Problem("round_of_a_playoff", (at,), {"round": round_.number}))


def playing_stage(event: Event) -> Stage:
    """Return the stage that new rounds belong to: the last that has begun and is no play-off."""
    return stage_to_plan(event) or Stage.objects.create(
        club_id=event.club_id, event=event, number=1
    )


def stage_of_players(event: Event, players: Collection[Player]) -> Stage:
    """Return the stage of a new round at which these players sit.

    It is the last that has begun, or, where a final and a consolation are played at one time, the
    last of those that takes all of them.
    """
    last = playing_stage(event)
    inside_last = players_in(last.pk)
    people = {player.pk for player in players}
    if inside_last is None or people <= inside_last:
        return last
    begun = Stage.objects.filter(event=event, cut_at__isnull=False).order_by("-number")
    if not any(later.takes == StageTakes.LOSERS for later in begun):
        return last
    for stage in begun:
        inside = players_in(stage.pk)
        if inside is not None and people <= inside:
            return stage
    return last


def require_in_stage(round_: Round, players: Iterable[Player]) -> None:
    inside = players_in(round_.stage_id)
    answers = [not_in_stage(round_, player, inside, ("players",)) for player in players]
    refuse_any(filter(None, answers))


ASKED: Final = frozenset(
    {
        *("side_of_two_pairs", "side_with_a_partner", "side_of_singles", "pair_on_both_sides"),
        *("newcomers_without_partner", "pairs_met_before"),
    }
)
"""Codes of questions: who answers them seats the people all the same."""


NOT_COMPARABLE: Final = ("size_without_list", "games_not_mixed", "sizes_not_mixed")
"""Error codes of rules and table sizes that do not compare with the others."""
SEATED: Final = (
    *("seat_count", "same_player_twice", "not_in_stage", "entrant_sits_out"),
    *("player_already_seated", "player_is_merged", *NOT_COMPARABLE, *sorted(ASKED)),
)
"""Error codes of people who are seated at a table."""


def has_pairs(event: Event) -> bool:
    return Entrant.objects.filter(event=event).exclude(kind=EntrantKind.PLAYER).exists()


def require_whole_sides(
    event: Event, rules: Rules, players: Sequence[Player | None], *, is_answered: bool
) -> None:
    """Ask whether people sit together who are no pair, unless that is answered already."""
    if is_answered:
        return
    refuse_any(split_sides(event, rules, players))


def split_sides(event: Event, rules: Rules, players: Sequence[Player | None]) -> Iterator[Problem]:
    """Yield a question for each side that is not one pair or team; three queries at most."""
    if not side_shape(rules, len(players)) or not has_pairs(event):
        return
    people = {player.pk: player.name for player in players if player is not None}
    groups = PlayingGroups(event, people)
    seats = [None if player is None else player.pk for player in players]
    yield from groups.split(rules, seats, people.__getitem__)


def end_abandoned_sittings(rounds: Collection[int], players: Iterable[int]) -> None:
    """End the sittings of players at abandoned tables of these rounds where nothing counts.

    The caller holds the event's row, under which hands of such a table come back.
    """
    open_ones = Sitting.objects.filter(
        round__in=rounds, player__in=list(players), to_hand__isnull=True
    )
    for sitting in open_ones.filter(abandoned_without_hands()):
        last = Hand.objects.filter(game__table__seats=sitting.seat_id).order_by("-number").first()
        sitting.to_hand = max(sitting.from_hand, last.number if last else 1)
        sitting.save(update_fields=["to_hand"])


def end_sittings_of(games: Collection[Game]) -> None:
    """End the open sittings of tables that are being abandoned, with their last hand.

    The caller holds the event's row and the games, and discards their hands.
    """
    last = Hand.objects.filter(game__table__seats=OuterRef("seat_id")).order_by("-number")
    ended = Coalesce(Subquery(last.values("number")[:1]), 1)
    tables = [game.table_id for game in games]
    open_ones = Sitting.objects.filter(seat__table__in=tables, to_hand__isnull=True)
    open_ones.update(to_hand=Greatest("from_hand", ended))
