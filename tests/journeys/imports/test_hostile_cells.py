"""Whatever stands in a cell: never a fault of ours, never a score that nobody typed."""

import contextlib
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker

from tests.support.builders import league, players
from tests.support.cast import enter_the_cast
from tests.support.imports.imports import HEADS, everything, imported, rows
from tests.support.lengths import short_or_long
from tournaments.documents.read.csv import Unreadable
from tournaments.models.imports import ImportProblem

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

NUMBERS = [
    "-1",
    "1.0",
    "1e309",
    "NaN",
    "13 ",
    "٣",
    "０",
    "999999999999",
    "0x1",
    "1_0",
    "½",
    "+1",
    "--",
    "'=1",
]
HOSTILE = st.one_of(
    st.sampled_from(NUMBERS),
    st.text(max_size=8),
    st.integers(-40, 40).map(str),
    st.fractions().map(str),
    st.floats().map(str),
)
WHOLE = re.compile(r"\s*-?(0|[1-9][0-9]*)(,0+)?\s*")


@pytest.fixture(scope="module")
def club(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Riverside with four players and an open league, undone after the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        cast = enter_the_cast()
        players(cast.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
        league(cast.riverside)
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


def typed(folder: Path, cells: dict[tuple[int, int], str], *, points: bool) -> Path:
    hand = [row.split(",") for row in (rows(points=(0, 1, 6, 19)) if points else rows())]
    for (row, column), text in cells.items():
        hand[row][column] = text
    out = io.StringIO()
    csv.writer(out).writerows([HEADS.split(","), *hand])
    path = folder / "hostile.csv"
    path.write_bytes(out.getvalue().encode("utf-8", "replace"))
    return path


@settings(
    max_examples=short_or_long(20, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 3), st.integers(8, 12)), HOSTILE, min_size=1, max_size=4
    )
)
@pytest.mark.usefixtures("club")
def test_hostile_numbers_are_refused_or_say_what_they_say(
    folder: Path, cells: dict[tuple[int, int], str]
) -> None:
    for points in (False, True):
        report = imported(typed(folder, cells, points=points), dry_run=True)
        column = 12 if points else 8
        odd = [
            text
            for (_, place), text in cells.items()
            if place == column and text.strip() and not WHOLE.fullmatch(text.replace("\0", ""))
        ]
        fractions = points and all("/" in text for text in odd)
        if odd and not fractions:
            assert report.accepted == 0, (cells, report.problems)
        assert report.accepted + report.waiting >= 1


@settings(
    max_examples=short_or_long(20, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 3), st.integers(0, 7)), HOSTILE, min_size=1, max_size=6
    )
)
@pytest.mark.usefixtures("club")
def test_hostile_places_and_people_never_break_the_import(
    folder: Path, cells: dict[tuple[int, int], str]
) -> None:
    before = everything()
    path = typed(folder, cells, points=False)
    if sum(sign < " " for text in cells.values() for sign in text) > 10:
        with contextlib.suppress(Unreadable):  # so many control characters make a binary file
            imported(path, dry_run=True)
    else:
        with transaction.atomic():
            report = imported(path)
            assert ImportProblem.objects.count() == len(report.problems)
            transaction.set_rollback(True)
        assert report.rows == 4
        assert report.accepted <= report.hands <= 4
    assert everything() == before
