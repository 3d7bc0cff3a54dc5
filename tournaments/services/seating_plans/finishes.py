"""Where players finished in the round whose best go on."""

from collections.abc import Iterable, Mapping

from tournaments.models.events import EntrantMember, Event, StageKind
from tournaments.models.meetings import Round, RoundState, Sitting
from tournaments.selectors.seating_plans.scores_so_far import PublishedScore
from tournaments.selectors.seating_plans.standing import standing_of
from tournaments.services.events.table_ties import places_at_tables, plays_tables


def finishes_of_round(event: Event, last: Round | None = None) -> Mapping[int, PublishedScore]:
    """Return where each player finished at the tables of a round; six queries.

    Whoever shares a place at a table is ordered by a play-off of that tie. Where the event plays
    none, the standings order them, as far as they tell them apart.

    Args:
        last: the round; without one, the newest of the event.
    """
    if last is None:
        rounds = Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)
        last = rounds.exclude(state=RoundState.DRAFT).order_by("-number").first()
    if last is None:
        return {}
    tables = places_at_tables(event, [last]).get(last.number, {})
    at_table = {
        code: (table, place) for table, places in tables.items() for code, place in places.items()
    }
    seated = Sitting.objects.filter(round=last, to_hand__isnull=True).values("player")
    members = EntrantMember.objects.filter(
        event=event, entrant__code__in=at_table, player__in=seated
    )
    ranks = {} if plays_tables(event) else standing_of(event)
    unranked = max(ranks.values(), default=0) + 1
    finishes = {
        player: (*at_table[entrant], ranks.get(player, unranked))
        for player, entrant in members.values_list("player_id", "entrant__code")
    }
    return {
        player: PublishedScore(-_better(finish, finishes.values()), str(finish[1]))
        for player, finish in finishes.items()
    }


def _better(finish: tuple[int, int, int], all_: Iterable[tuple[int, int, int]]) -> int:
    """Return how many of a table have a better place, or the same one and a better rank."""
    return sum(other[0] == finish[0] and other[1:] < finish[1:] for other in all_)
