"""Who is meant by what was typed for the seats of a table: ids, names, or both."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from scoring.errors import Problem, Refused, Suggestion
from tournaments.models.clubs import Club, Player
from tournaments.models.meetings import Round, Sitting
from tournaments.services.names import folded
from tournaments.services.stage_rosters import not_in_stage, players_in


@dataclass(frozen=True, slots=True)
class _People:
    by_id: dict[str, Player]
    by_name: dict[str, list[Player]]


def label_of(player: Player) -> str:
    """Return how a player is offered and read: name and id."""
    return f"{player.name} ({player.player_id})"


def players_at_seats(
    *, club: Club, round_: Round, typed: Sequence[str], but_table: int | None = None
) -> tuple[Player, ...]:
    """Return the players that are meant, clockwise from seat 1; empty seats at the end are none.

    Args:
        typed: what stands in each seat: an id, a name, or "name (id)".
        but_table: the row of a table whose own people are seated anew.

    Raises:
        Refused: seat_is_empty, nobody_of_that_name, name_of_several, same_player_twice,
            player_already_seated, not_in_stage; all that are found, each at ("seat", number).
    """
    texts = [text.strip() for text in typed]
    while texts and not texts[-1]:
        texts.pop()
    people = _people(club)
    seated = _seated(round_, but_table)
    inside = players_in(round_.stage_id)
    found: list[Player] = []
    problems: list[Problem] = []
    for number, text in enumerate(texts, start=1):
        meant = _meant(text, number, people)
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
    people = _people(club)
    texts = [(number, text.strip()) for number, text in enumerate(typed, start=1) if text.strip()]
    meant = [_meant(text, number, people) for number, text in texts]
    problems = [one for one in meant if isinstance(one, Problem)]
    if problems:
        raise Refused(*problems)
    return tuple(one for one in meant if isinstance(one, Player))


def free_players(club: Club, round_: Round) -> tuple[Player, ...]:
    """Return who of the club has no seat in the round and plays in its stage, by name."""
    seated = Sitting.objects.filter(round=round_).values("player")
    free = Player.objects.filter(club=club).exclude(pk__in=seated).order_by("name")
    inside = players_in(round_.stage_id)
    return tuple(free if inside is None else free.filter(pk__in=inside))


def _people(club: Club) -> _People:
    people = _People({}, {})
    for player in Player.objects.filter(club=club).order_by("player_id"):
        people.by_id[player.player_id.casefold()] = player
        people.by_name.setdefault(folded(player.name), []).append(player)
        people.by_name.setdefault(folded(label_of(player)), []).append(player)
    return people


def _seated(round_: Round, but_table: int | None) -> dict[int, int]:
    sittings = Sitting.objects.filter(round=round_, to_hand__isnull=True)
    if but_table is not None:
        sittings = sittings.exclude(seat__table_id=but_table)
    return dict(sittings.values_list("player_id", "seat__table__number"))


def _meant(text: str, number: int, people: _People) -> Player | Problem:
    at = ("seat", number)
    if not text:
        return Problem("seat_is_empty", at, {"seat": number})
    if player := people.by_id.get(text.casefold()):
        return player
    named = people.by_name.get(folded(text), [])
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(player.player_id for player in named)
        return Problem("name_of_several", at, {"found": text, "ids": ids})
    close = get_close_matches(folded(text), people.by_name, n=6, cutoff=0.7)
    labels = dict.fromkeys(label_of(people.by_name[name][0]) for name in close)
    suggestions = tuple(Suggestion("closest", facts={"name": label}) for label in list(labels)[:3])
    return Problem("nobody_of_that_name", at, {"found": text}, suggestions)


def _seat_problem(
    player: Player, number: int, before: Sequence[Player], seated: dict[int, int], round_: Round
) -> Problem | None:
    facts: dict[str, int | str] = {"player_id": player.player_id, "round": round_.number}
    if player in before:
        return Problem("same_player_twice", ("seat", number), facts)
    if player.pk in seated:
        return Problem("player_already_seated", ("seat", number), facts)
    return None
