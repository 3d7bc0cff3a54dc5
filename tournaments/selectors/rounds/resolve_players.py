"""Which players, pairs and teams a typed list of seats, sides or entrants means."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from django.db.models import QuerySet

from scoring.errors import Path, Problem, Suggestion
from tournaments.domain.name_matching import (
    NameIndex,
    comma_parts,
    folded,
    one_line,
    player_name_problems,
)
from tournaments.errors import refuse_any
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantKind, Event
from tournaments.models.imports import ImportProblem
from tournaments.models.rounds import Round
from tournaments.selectors.clubs.clubs import list_players_of
from tournaments.selectors.clubs.find_players import NamedPlayers, label_of, named_players
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import WITH_PLAYERS, EntrantLine, entrant_names
from tournaments.selectors.rounds.round_seating import already_seated, not_in_stage, players_in
from tournaments.selectors.rounds.tables import get_places_in_round

BETWEEN: Final = re.compile(r"\s*(?:[&+/;]|\s(?:and|und|et|y|en|e)\s)\s*")
"""Text between the names of two partners."""

TOGETHER: Final = " & "


def players_at_seats(
    *, club: Club, round_: Round, typed: Sequence[str], but_table: int | None = None
) -> tuple[Player, ...]:
    """Return the players in seats, clockwise from seat 1; empty seats at the end are none.

    Args:
        typed: the text of each seat: an id, a name or its beginning, or "name (id)".
        but_table: the row of a table whose own players are seated again.
    """
    texts = [text.strip() for text in typed]
    while texts and not texts[-1]:
        texts.pop()
    people = named_players(club)
    seated = _seated(round_, but_table)
    inside = players_in(round_.stage_id)
    players: list[Player] = []
    problems: list[Problem] = []
    for number, text in enumerate(texts or [""], start=1):
        player = _player_or_problem(text, number, people, {*seated, *(row.pk for row in players)})
        if isinstance(player, Problem):
            problems.append(player)
        elif problem := _seat_problem(player, ("seat", number), players, seated, round_, inside):
            problems.append(problem)
        else:
            players.append(player)
    refuse_any(problems)
    return tuple(players)


def players_named(*, club: Club, typed: Sequence[str]) -> tuple[Player, ...]:
    """Return the named players in order; empty texts are skipped."""
    people = named_players(club)
    texts = [(number, text.strip()) for number, text in enumerate(typed, start=1) if text.strip()]
    resolved = [_player_or_problem(text, number, people) for number, text in texts]
    refuse_any(problem for problem in resolved if isinstance(problem, Problem))
    return tuple(player for player in resolved if isinstance(player, Player))


def free_players(club: Club, round_: Round) -> tuple[Player, ...]:
    """Return who of the club has no seat in the round and plays in its stage, by name."""
    offered = list_players_of(club).filter(is_active=True)
    free = offered.exclude(pk__in=get_places_in_round(round_))
    inside = players_in(round_.stage_id)
    return tuple(free if inside is None else free.filter(pk__in=inside))


def free_for_problem(problem: ImportProblem) -> QuerySet[Player]:
    """Return who of the club may have sat there: nobody of another seat, or another table."""
    round_ = Round.objects.filter(event=problem.event_id, number=problem.round or 0).first()
    places = get_places_in_round(round_) if round_ is not None else {}
    elsewhere = [player for player, (table, _) in places.items() if table != problem.table]
    seated = chain.from_iterable(offer.get("seated", ()) for offer in problem.offers)
    players = list_players_of(problem.batch.club).exclude(pk__in=elsewhere)
    return players.exclude(player_id__in=seated)


def _seated(round_: Round, but_table: int | None) -> set[int]:
    tables = dict(round_.tables.values_list("number", "pk"))
    places = get_places_in_round(round_).items()
    return {player for player, (number, _) in places if tables.get(number) != but_table}


def _player_or_problem(
    text: str, number: int, people: NamedPlayers, seated: Collection[int] = ()
) -> Player | Problem:
    if not text:
        return Problem("seat_is_empty", ("seat", number), {"seat": number})
    return people.meant(text, ("seat", number), but=seated)


def _seat_problem(
    player: Player,
    at: Path,
    players: Collection[Player],
    seated: Collection[int],
    round_: Round,
    inside: frozenset[int] | None,
) -> Problem | None:
    """Return why a player cannot sit with others in a round: twice, seated, or not in its stage."""
    if player in players:
        facts = {"player": player.name, "player_id": player.player_id}
        return Problem("same_player_twice", at, {**facts, "round": round_.number})
    if player.pk in seated:
        return already_seated(round_, player, at)
    return not_in_stage(round_, player, inside, at)


class Groups:
    """The pairs and teams of an event, for look-ups by typed text."""

    def __init__(self, event: Event) -> None:
        rows = Entrant.objects.filter(event=event).exclude(kind=EntrantKind.PLAYER)
        self.every = list(rows.prefetch_related(WITH_PLAYERS).order_by("code"))
        names = entrant_names(self.every, FULL_NAME)
        self.label = {entrant.pk: f"{names[entrant.pk]} ({entrant.code})" for entrant in self.every}
        texts = (
            (text, entrant)
            for entrant in self.every
            for text in {names[entrant.pk], entrant.code, self.label[entrant.pk]}
        )
        self._known = NameIndex(texts)

    def meant(self, text: str) -> Sequence[Entrant]:
        """Return the pairs or teams that a text may mean: its name, code, or its beginning."""
        return self._known.get(text) or self._known.beginning(text)

    def free(self, round_: Round) -> tuple[str, ...]:
        seated = get_places_in_round(round_)
        return tuple(
            self.label[entrant.pk]
            for entrant in self.every
            if not any(member.player_id in seated for member in entrant.members.all())
        )

    def pair_of(self, player: str) -> str:
        """Return the label of the pair of a player, written as `label_of` does; "" without one."""
        for entrant in self.every:
            members = [label_of(member.player) for member in entrant.members.all()]
            if entrant.kind == EntrantKind.PAIR and player in members:
                return self.label[entrant.pk]
        return ""


def players_on_sides(
    *,
    event: Event,
    round_: Round,
    typed: Sequence[str],
    shape: Sequence[Sequence[int]],
    but_table: int | None = None,
) -> tuple[Player, ...]:
    """Return the players on sides, clockwise from seat 1.

    Args:
        typed: the text of each side: the name or code of a pair, or the names of its players.
        shape: the seats (from 0) of each side.
        but_table: the row of a table whose own players are seated again.
    """
    groups = Groups(event)
    people = named_players(event.club)
    inside = players_in(round_.stage_id)
    seated = _seated(round_, but_table)
    problems: list[Problem] = []
    players: dict[int, Player] = {}
    for number, (text, seats) in enumerate(zip(typed, shape, strict=True), start=1):
        at = ("side", number)
        side = side_players(text.strip(), len(seats), groups, people, at, number)
        if isinstance(side, Problem):
            problems.append(side)
            continue
        for seat, player in zip(seats, side, strict=True):
            if problem := _seat_problem(player, at, players.values(), seated, round_, inside):
                problems.append(problem)
            else:
                players[seat] = player
    refuse_any(problems)
    return tuple(players[seat] for seat in sorted(players))


def side_text(event: Event, players: Sequence[Player]) -> str:
    """Return how the players of a side are written: as their pair, or both names."""
    groups = Groups(event)
    rows = {player.pk for player in players}
    for entrant in groups.every:
        members = {member.player_id for member in entrant.members.all()}
        if rows and rows == members:
            return groups.label[entrant.pk]
    return TOGETHER.join(label_of(player) for player in players)


def _split(text: str, between: re.Pattern[str] = BETWEEN) -> list[str]:
    """Return the names in a text; over a run of blanks the pattern would take its square."""
    return [part for part in between.split(" ".join(text.split())) if part]


def with_label(text: str, name: str, label: str) -> str:
    """Return the text of a side with the label of a player in place of a name; else the label.

    >>> with_label("Kay und Lee", "Lee", "Lee (RL02)"), with_label("Kay", "", "Kay (RL01)")
    ('Kay & Lee (RL02)', 'Kay (RL01)')
    """
    parts = _split(text)
    if name not in parts:
        return label
    return TOGETHER.join(label if part == name else part for part in parts)


def side_players(
    text: str, seats: int, groups: Groups, people: NamedPlayers, at: Path, number: int
) -> Problem | Sequence[Player]:
    """Return the players of a side, or the problem with its text.

    The text is the name or code of a pair, or the names of `seats` players.
    """
    if not text:
        return Problem("side_is_empty", at, {"side": number})
    pairs = groups.meant(text)
    if len(pairs) == 1:
        members = sorted(pairs[0].members.all(), key=lambda member: member.pk)
        if len(members) == seats:
            return [member.player for member in members]
        label = groups.label[pairs[0].pk]
        return Problem("team_needs_names", at, {"team": label, "n": len(members)})
    parts = _split(text)
    if len(parts) != seats:
        offered = tuple(
            Suggestion("closest", facts={"name": groups.label[pair.pk]}) for pair in pairs[:8]
        )
        code = "side_of_several" if pairs else "side_not_understood"
        return Problem(code, at, {"found": text}, offered)
    players: list[Player] = []
    for index, part in enumerate(parts):
        resolved = people.meant(part, at, but=[player.pk for player in players])
        if isinstance(resolved, Problem):
            return _whole(resolved, parts, index)
        players.append(resolved)
    return players


def _whole(problem: Problem, parts: Sequence[str], index: int) -> Problem:
    offered = tuple(
        Suggestion(
            suggestion.code,
            facts={
                "name": TOGETHER.join(
                    str(suggestion.facts["name"]) if at == index else part
                    for at, part in enumerate(parts)
                )
            },
        )
        for suggestion in problem.suggestions
    )
    return Problem(problem.code, problem.at, problem.facts, offered)


_IN_TEAM: Final = re.compile(rf"\s*,\s*|{BETWEEN.pattern}")


def read_entrants(
    club: Club, texts: Iterable[str]
) -> tuple[list[EntrantLine], list[Problem], list[Problem]]:
    """Return the entrants of lines, their problems, and one for each name of a new player."""
    people = named_players(club)
    lines: list[EntrantLine] = []
    problems: list[Problem] = []
    names: dict[str, str] = {}
    unknown: dict[str, Problem] = {}
    for number, text in enumerate(texts, start=1):
        name, players = _parts(text, people)
        members: list[Player | str] = []
        for player in players:
            match = people.meant(player, at := ("lines", number - 1))
            if not isinstance(match, Problem):
                members.append(match)
            elif match.code != "nobody_of_that_name" or len(comma_parts(player)) > 1:
                problems.append(match)
            else:
                # A player who is spelled in two ways is one person, as in the club's list.
                new = names.setdefault(folded(player), one_line(player))
                members.append(new)
                unknown.setdefault(new, match)
                problems += [replace(problem, at=at) for problem in player_name_problems(new)]
        lines.append(EntrantLine(number, tuple(members), name))
    return lines, problems, list(unknown.values())


def _parts(text: str, people: NamedPlayers) -> tuple[str, list[str]]:
    """Return the name of a pair or a team, "" without one, and the names of its players.

    The name of a player of the club is never divided, even if it contains a separator.
    """
    if isinstance(people.known(text, ()), Player):
        return "", [text]
    name, colon, players = text.rpartition(":")
    between = _IN_TEAM if colon else BETWEEN
    return name.strip(), _split(players, between)
