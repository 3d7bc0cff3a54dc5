"""Who is meant by what was typed for the seats of a table: ids, names, or both."""

from collections.abc import Collection, Sequence

from scoring.errors import Problem, Refused
from tournaments.models.clubs import Club, Player
from tournaments.models.meetings import Round
from tournaments.selectors.clubs.clubs import players_of
from tournaments.selectors.rounds.seatings import seated_in
from tournaments.services.clubs.find_players import NamedPlayers, named_players
from tournaments.services.rounds.seating import already_seated
from tournaments.services.rounds.stage_rosters import not_in_stage, players_in


def players_at_seats(
    *, club: Club, round_: Round, typed: Sequence[str], but_table: int | None = None
) -> tuple[Player, ...]:
    """Return the players that are meant, clockwise from seat 1; empty seats at the end are none.

    Args:
        typed: what stands in each seat: an id, a name or its beginning, or "name (id)".
        but_table: the row of a table whose own people are seated anew.

    Raises:
        Refused: seat_is_empty, nobody_of_that_name, name_of_several, same_player_twice,
            player_already_seated, not_in_stage; all that are found, each at ("seat", number).
    """
    texts = [text.strip() for text in typed]
    while texts and not texts[-1]:
        texts.pop()
    people = named_players(club)
    seated = _seated(round_, but_table)
    inside = players_in(round_.stage_id)
    found: list[Player] = []
    problems: list[Problem] = []
    for number, text in enumerate(texts, start=1):
        placed = {*seated, *(player.pk for player in found)}
        meant = _meant(text, number, people, placed)
        if isinstance(meant, Problem):
            problems.append(meant)
        elif problem := (
            _seat_problem(meant, number, found, seated, round_)
            or not_in_stage(round_, meant, inside, ("seat", number))
        ):
            problems.append(problem)
        else:
            found.append(meant)
    if not texts:
        problems.append(Problem("seat_is_empty", ("seat", 1), {"seat": 1}))
    if problems:
        raise Refused(*problems)
    return tuple(found)


def players_named(*, club: Club, typed: Sequence[str]) -> tuple[Player, ...]:
    """Return the players that are meant, in their order; what is empty is nobody.

    Raises:
        Refused: nobody_of_that_name, name_of_several; all that are found, at ("seat", number).
    """
    people = named_players(club)
    texts = [(number, text.strip()) for number, text in enumerate(typed, start=1) if text.strip()]
    meant = [_meant(text, number, people) for number, text in texts]
    problems = [one for one in meant if isinstance(one, Problem)]
    if problems:
        raise Refused(*problems)
    return tuple(one for one in meant if isinstance(one, Player))


def free_players(club: Club, round_: Round) -> tuple[Player, ...]:
    """Return who of the club has no seat in the round and plays in its stage, by name."""
    offered = players_of(club).filter(is_active=True)
    free = offered.exclude(pk__in=seated_in(round_)).order_by("name")
    inside = players_in(round_.stage_id)
    return tuple(free if inside is None else free.filter(pk__in=inside))


def _seated(round_: Round, but_table: int | None) -> dict[int, int]:
    """Return the tables at which players sit, but one: player → its number."""
    tables = {number: pk for pk, number in round_.tables.values_list("pk", "number")}
    seated = seated_in(round_).items()
    return {player: number for player, (number, _) in seated if tables.get(number) != but_table}


def _meant(
    text: str, number: int, people: NamedPlayers, placed: Collection[int] = ()
) -> Player | Problem:
    at = ("seat", number)
    if not text:
        return Problem("seat_is_empty", at, {"seat": number})
    return people.meant(text, at, but=placed)


def _seat_problem(
    player: Player, number: int, before: Sequence[Player], seated: dict[int, int], round_: Round
) -> Problem | None:
    facts: dict[str, int | str] = {
        "player": player.name,
        "player_id": player.player_id,
        "round": round_.number,
    }
    if player in before:
        return Problem("same_player_twice", ("seat", number), facts)
    if player.pk in seated:
        return already_seated(round_, player, ("seat", number))
    return None
