"""Files as clubs have them, not as a program writes them: a title, other heads, several sheets."""

from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_with
from tests.support.imports.uploads import send_file
from tests.support.pages.text import text
from tournaments.models.hands import Hand

pytestmark = pytest.mark.django_db
PEOPLE = (
    *("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk", "Ester Dorn", "Füsun Öz"),
    *("Gus Hale", "Holly Brook", "Ivo Sand", "Jana Kast", "Kees de Vries", "Łukasz Żak"),
    *("Mo O'Hara", "Nell Linde", "Otto Dove", "Pia Harm"),
)


@pytest.fixture
def club(cast: Cast) -> Client:
    players(cast.riverside, *PEOPLE)
    league(cast.riverside)
    return cast.client("dirk")


@pytest.mark.parametrize(
    "name",
    [
        "three_evenings.xlsx",
        "totals_other_heads.csv",
        "season_matrix.csv",
        "running_totals.csv",
        "title_and_names.csv",
    ],
)
@pytest.mark.parametrize("holds", ["hands", "totals"])
def test_x(club, name, holds):
    at = send_file(club, Path("/work/shared/repro/files") / name, holds=holds)
    print("#####", name, holds, at)
    if at:
        print(text(club.get(at, follow=True))[:2500])
