"""Possible duplicates are compared after a change, piece by piece, and stored."""

import pytest

from tests.support.builders import players
from tests.support.cast import Cast
from tests.support.name_comparisons import comparisons
from tests.support.pages.text import text_of
from tournaments.domain.name_matching import MOST_NEAR
from tournaments.domain.people.public_names import new_player
from tournaments.models.clubs import Club, Player, SimilarPlayers
from tournaments.selectors.people.merges import find_likely_duplicates, find_possible_duplicates
from tournaments.services.clubs.clubs import change_player
from tournaments.services.people.compare_names import PIECE, compare_names
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def duplicates(club: Club) -> list[tuple[str, str]]:
    return [(first.name, second.name) for first, second in find_possible_duplicates(club)]


def add_many(club: Club, names: list[str]) -> None:
    Player.objects.bulk_create(
        new_player(club=club, player_id=f"M{n:04d}", name=name) for n, name in enumerate(names)
    )


def test_new_player_is_compared_with_all_others_the_most_alike_first(cast: Cast) -> None:
    players(cast.riverside, "Nadia D.", "Bert", "Guest 12", "D., Nadia")
    compare_names()
    assert duplicates(cast.riverside) == [("Nadia D.", "D., Nadia")]
    *_, new, _guest = players(cast.riverside, "nadiia d.", "Guest 13")
    assert duplicates(cast.riverside) == [("Nadia D.", "D., Nadia")]
    compare_names()
    assert duplicates(cast.riverside) == [
        ("Nadia D.", "D., Nadia"), ("Nadia D.", "nadiia d."), ("D., Nadia", "nadiia d."),
    ]  # fmt: skip
    likely = find_likely_duplicates(cast.riverside, new)
    assert [player.name for player in likely] == ["Nadia D.", "D., Nadia"]


def test_players_of_another_club_are_not_compared(cast: Cast) -> None:
    players(cast.riverside, "Nadia D.")
    players(cast.hilltop, "Nadia D.")
    compare_names()
    assert not SimilarPlayers.objects.exists()


def test_renamed_player_is_compared_again(cast: Cast) -> None:
    _anna, other = players(cast.riverside, "Anna Kraus", "Bert")
    compare_names()
    op = cast.operation("dirk")
    change_player(op, other, name="A. Kraus")
    compare_names()
    assert duplicates(cast.riverside) == [("Anna Kraus", "A. Kraus")]
    other.refresh_from_db()
    change_player(op, other, name="Bert")
    compare_names()
    assert duplicates(cast.riverside) == []


def test_undone_merge_brings_the_pairs_back_also_with_who_came_meanwhile(cast: Cast) -> None:
    anna, other = players(cast.riverside, "Anna Kraus", "Anna Krauss")
    compare_names()
    op = cast.operation("dirk")
    merge = merge_players(op, other, target=anna)
    players(cast.riverside, "Anna Krausss")
    compare_names()
    assert duplicates(cast.riverside) == [("Anna Kraus", "Anna Krausss")]
    undo_merge(op, merge)
    compare_names()
    assert len(duplicates(cast.riverside)) == 3


def test_erased_player_is_in_no_pair(cast: Cast) -> None:
    _anna, other = players(cast.riverside, "Anna Kraus", "Anna Krauss")
    compare_names()
    erase_player(cast.operation("olga"), other, confirmed=other.player_id, reason="asked by letter")
    assert not SimilarPlayers.objects.exists()


def test_name_that_changes_while_it_is_compared_is_compared_by_the_next_sweep(cast: Cast) -> None:
    _anna, other = players(cast.riverside, "Anna Kraus", "Anna Krause")

    def write() -> None:
        change_player(cast.operation("dirk"), other, name="Bert Hansen")
        players(cast.riverside, "Anna Krauß", "Bert Hanssen")

    with comparisons(meanwhile=write):
        compare_names()
    assert duplicates(cast.riverside) == []
    compare_names()
    assert duplicates(cast.riverside) == [
        ("Bert Hansen", "Bert Hanssen"), ("Anna Kraus", "Anna Krauß"),
    ]  # fmt: skip


def test_opening_the_players_compares_nobody(cast: Cast) -> None:
    add_many(cast.riverside, ["ab" * 59 + letter for letter in "abcdefgh"])
    compare_names()
    with comparisons() as counted:
        page = cast.client("dirk").get("/clubs/riverside/players")
    assert "20 pairs of similar names" in text_of(page)
    assert counted.n_names == []


def test_sweep_compares_a_piece_of_a_large_club_and_each_name_once(cast: Cast) -> None:
    n_players = 3_000
    add_many(cast.riverside, [f"{'ab' * 57}{n:04d}".translate(LETTERS) for n in range(n_players)])
    with comparisons() as counted:
        compare_names()
    assert counted.total <= 2 * PIECE * n_players
    assert counted.longest == 64
    assert Player.objects.filter(is_compared=True).count() == PIECE
    assert SimilarPlayers.objects.count() <= PIECE * MOST_NEAR
    Player.objects.filter(club=cast.riverside).update(is_compared=True)
    with comparisons() as counted:
        compare_names()
    assert counted.n_names == []


LETTERS = str.maketrans("0123456789", "cdefghijkl")
