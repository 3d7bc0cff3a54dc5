"""A duplicate night: twelve players, three tables, three rounds of four boards."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.test import Client

from tests.support.answers import Answer, Json, post_json
from tests.support.builders import by_tests, counts, league, players
from tests.support.cast import Cast, enter_the_cast
from tournaments.models.events import Event
from tournaments.services.boards import deal_boards

SEED = "2f1c5d0a9be34f7781c6d2e0a4b39f56"
SETTINGS = {"duplicate": True, "primary": "matchpoints", "length": "hands:4", "tie_breaks": ()}
E = "/api/v1/clubs/riverside/events/league"
ROUNDS = (
    ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12)),
    ((1, 5, 9, 2), (6, 10, 3, 7), (11, 4, 8, 12)),
    ((10, 1, 6, 11), (2, 8, 12, 3), (7, 9, 4, 5)),
)
"""Players by number, for each round and table N E S W."""


def hearts_of(round_number: int, table: int, board: int) -> tuple[list[int], int]:
    """What table made of a board: hearts of N E S W, and who took the queen."""
    first = (3 * table + 5 * board + round_number) % 14
    second = (2 * board + table) % (14 - first)
    third = (board * table) % (14 - first - second)
    return [first, second, third, 13 - first - second - third], (board + table) % 4


def scores_of(round_number: int, table: int, board: int) -> list[int]:
    """The points of N E S W; a moon costs the others."""
    hearts, queen = hearts_of(round_number, table, board)
    scores = [heart + 13 * (seat == queen) for seat, heart in enumerate(hearts)]
    return [0 if score == 26 else 26 for score in scores] if 26 in scores else scores


@dataclass(slots=True)
class DuplicateNight:
    """The event, with who is who; requests go through clients of the cast."""

    cast: Cast
    event: Event
    codes: Sequence[str]
    host: Client = field(init=False)
    director: Client = field(init=False)

    def __post_init__(self) -> None:
        self.host, self.director = self.cast.client("hanna"), self.cast.client("dirk")

    def seat(self, number: int) -> None:
        tables = [
            {"seats": [self.codes[seat - 1] for seat in seats]} for seats in ROUNDS[number - 1]
        ]
        response = post_json(self.director, f"{E}/rounds", {"number": number, "tables": tables})
        assert response.status_code == 201, response.content
        posted = post_json(self.director, f"{E}/rounds/{number}/state", {"to": "posted"})
        assert posted.status_code == 200, posted.content

    def enter(
        self, number: int, table: int, hand: int, board: int | None, **more: object
    ) -> Answer:
        hearts, queen = hearts_of(number, table, board or hand)
        body: Json = {"number": hand, "entry": counts(hearts, queen), **more}
        if 26 in [heart + 13 * (seat == queen) for seat, heart in enumerate(hearts)]:
            body["entry"] = counts(hearts, queen, slam_choice="others")
        if board is not None:
            body["board"] = board
        return post_json(self.host, f"{E}/tables/r{number}t{table}/hands", body)

    def play(self, number: int, tables: Sequence[int] = (1, 2, 3)) -> None:
        """Play the four boards of a round, each table in an order of its own."""
        boards = [4 * number - 3 + at for at in range(4)]
        for table in tables:
            for hand in range(1, 5):
                board = boards[(hand - 1 + table) % 4]
                answer = self.enter(number, table, hand, board)
                assert answer.status_code == 201, answer.content


def duplicate_night(
    *, boards: int = 12, per_round: int = 4, hands: int | None = 4, variant: str = "hearts"
) -> DuplicateNight:
    """Make the event with its boards, dealt from a known seed; nothing is seated yet.

    `hands`: of each game; None: as many as its table has boards, as in the preset.
    """
    cast = enter_the_cast()
    length = "open" if hands is None else f"hands:{hands}"
    event = league(cast.riverside, variant=variant, settings=SETTINGS | {"length": length})
    people = players(cast.riverside, *(f"Player {n:02d}" for n in range(1, 13)))
    if boards:
        deal_boards(by_tests(), event, count=boards, seed=SEED, boards_per_round=per_round)
    return DuplicateNight(cast, event, [player.player_id for player in people])
