"""A pasted list of people: what of a line becomes the name and the id, and what is left out."""

import pytest

from tournaments.views.clubs.clubs import read_pasted


@pytest.mark.parametrize(
    ("line", "name", "player_id", "left_out"),
    [
        ("RL07\tGreta D.\t2024-03-01", "Greta D.", "RL07", "2024-03-01"),
        ("Greta D.;RL07;2024-03-01;Bonn", "Greta D.", "RL07", "2024-03-01, Bonn"),
        ("RL07, Meier, jun., 16.10.2026", "Meier, jun.", "RL07", "16.10.2026"),
        ("Greta D.\t1 March 2024", "Greta D.", "", "1 March 2024"),
        ("Greta D., 2024-03-01", "Greta D.", "", "2024-03-01"),
        ("Smith, John", "Smith, John", "", ""),
    ],
)
def test_cells_beside_name_and_id_are_left_out(
    line: str, name: str, player_id: str, left_out: str
) -> None:
    (pasted,) = read_pasted(f"player_id\tname\tjoined\n{line}")
    assert (pasted.name, pasted.player_id, pasted.left_out) == (name, player_id, left_out)
