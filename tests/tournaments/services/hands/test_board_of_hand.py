"""What a refusal says of the boards of an event."""

from collections.abc import Sequence

import pytest

from tournaments.services.hands.board_of_hand import known_boards


@pytest.mark.parametrize(
    ("numbers", "words"), [([1, 2, 3], "1 to 3"), ([5], "5 to 5"), ([], "none")]
)
def test_refusal_names_the_first_and_the_last_board(numbers: Sequence[int], words: str) -> None:
    assert known_boards(numbers) == words
