"""Which stage of an event is played now, and who plays in it."""

from collections.abc import Collection, Iterable

from scoring.errors import Problem, Refused
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage, StageKind, StagePlan, StageTakes
from tournaments.models.meetings import Round
from tournaments.models.playoffs import StageEntrant
from tournaments.selectors.events.cuts import stage_title


def playing_stage(event: Event) -> Stage:
    """Return the stage that new rounds belong to: the last that has begun and is no play-off."""
    stages = Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF)
    found = stages.exclude(plan=StagePlan.PLANNED).order_by("-number").first()
    return found or Stage.objects.create(club_id=event.club_id, event=event, number=1)


def stage_of_players(event: Event, players: Collection[Player]) -> Stage:
    """Return the stage of a new round at which these players sit.

    It is the last that has begun, or, where a final and a consolation are played at one time, the
    last of those that takes all of them.
    """
    last = playing_stage(event)
    chosen = players_in(last.pk)
    people = {player.pk for player in players}
    if chosen is None or people <= chosen:
        return last
    begun = Stage.objects.filter(event=event, cut_at__isnull=False).order_by("-number")
    if not any(one.takes == StageTakes.LOSERS for one in begun):
        return last
    for stage in begun:
        inside = players_in(stage.pk)
        if inside is not None and people <= inside:
            return stage
    return last


def players_in(stage_id: int) -> frozenset[int] | None:
    """Return the rows of the players who were chosen for a stage; None where it is for everybody.

    One query.
    """
    chosen = StageEntrant.objects.filter(stage=stage_id)
    return frozenset(chosen.values_list("entrant__members__player_id", flat=True)) or None


def not_in_stage(
    round_: Round, player: Player, inside: frozenset[int] | None, at: tuple[str | int, ...]
) -> Problem | None:
    """Return `not_in_stage` where a player is not among those `inside` the round's stage."""
    if inside is None or player.pk in inside:
        return None
    facts: dict[str, int | str] = {
        "player": player.name,
        "player_id": player.player_id,
        "round": round_.number,
        "stage": stage_title(round_.stage),
    }
    return Problem("not_in_stage", at, facts)


def require_in_stage(round_: Round, players: Iterable[Player]) -> None:
    """Let only those sit down in a round who play in its stage.

    Raises:
        Refused: not_in_stage, one a player.
    """
    inside = players_in(round_.stage_id)
    found = [not_in_stage(round_, player, inside, ("players",)) for player in players]
    if problems := list(filter(None, found)):
        raise Refused(*problems)
