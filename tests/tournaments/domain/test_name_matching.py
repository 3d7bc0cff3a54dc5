"""Spellings of one name are equal, names of different people are not, and lists have one order."""

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments import migrations
from tournaments.domain.name_matching import (
    NameIndex,
    finds_player,
    folded,
    is_same_name,
    one_line,
    sort_key,
    spellings,
)

LETTERS = st.characters(categories=("L", "M", "N", "P", "S", "Zs"))
NAMES = st.text(LETTERS | st.sampled_from("aäÄo\u0308øßŁ'’, ."), max_size=14).map(one_line)

SAME = (
    ("Pat O’Neill", "pat o'neill", "Pat O`Neill", "PAT ONEILL"),
    ("Łukasz Nowak", "Lukasz Nowak", "łukasz NOWAK", "Nowak, Łukasz"),
    ("Ida Strauß", "Ida Strauss", "IDA STRAUSS", "Ida STRAUẞ"),
    ("Jörg Müller", "Joerg Mueller", "Jo\u0308rg Mu\u0308ller", "MUELLER,  Jörg"),
    ("Søren Ås", "Soren As", "SØREN ÅS", "So\u0338ren A\u030as"),
    ("Bjørn Ægir", "Bjoern Aegir", "bjørn ægir"),
    ("Ruth Shore", "Shore, Ruth", "  ruth   SHORE ", "Ruth\u00a0Shore", "shore,ruth"),
    ("Zoë Dvořák", "Zoe Dvorak", "Zoe\u0308 Dvor\u030ca\u0301k"),
    ("Anna-Lena K.", "Anna‑Lena K.", "anna–lena K."),
    ("Ö. Berg", "O. Berg"),
)


@pytest.mark.parametrize("names", SAME, ids=lambda names: ascii(names[0]))
def test_spellings_of_one_name_are_equal_and_find_each_other(names: tuple[str, ...]) -> None:
    first, *others = names
    for name in others:
        assert is_same_name(first, name)
        assert NameIndex([(first, 1)]).get(name) == [1]
        assert finds_player(name, "RL01", first)
        assert finds_player(first, "RL01", name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Muller", "Miller"),
        ("Muller", "Mueller"),
        ("Bauer", "Baur"),
        ("Joe S.", "Jo S."),
        ("Samuel", "Samul"),
        ("Ruth Shore", "Shore Ruth"),
        ("Anna K.", "Anna L."),
        ("Player 12", "Player 1 2"),
        ("か", "が"),
        ("李", "黎"),
    ],
)
def test_names_of_different_people_stay_different(name: str, other: str) -> None:
    assert not is_same_name(name, other)


def test_who_is_written_so_comes_before_those_who_may_be_spelled_so() -> None:
    people = NameIndex([("José", 1), ("Jose", 2), ("Jose", 3), ("Müller", 4), ("Mueller", 5)])
    assert people.get("JOSÉ") == [1]
    assert people.get("jose") == [2, 3]
    assert sorted(people.get("Josè")) == [1, 2, 3]
    assert people.get("Muller") == [4]


@given(NAMES)
def test_folding_is_done_once(name: str) -> None:
    assert folded(folded(name)) == folded(name)
    assert [folded(way) for way in spellings(name)] == list(spellings(name))
    assert sort_key(sort_key(name)) == sort_key(name)
    assert bool(folded(name)) == bool(name)


@given(NAMES)
def test_name_is_found_by_itself(name: str) -> None:
    assert is_same_name(name, name.casefold())
    assert finds_player(name, "", name)


def test_lists_are_sorted_by_letters_without_case_and_accents() -> None:
    names = ["Ärne", "Anna", "Émile", "emil", "O’Neill", "Oskar", "ola", "Łukasz", "Zoe", "Öl"]
    in_order = ["Anna", "Ärne", "emil", "Émile", "Łukasz", "Öl", "ola", "O’Neill", "Oskar", "Zoe"]
    assert sorted(names, key=sort_key) == in_order


@given(NAMES)
def test_migration_fills_the_key_that_is_stored_today(name: str) -> None:
    fill = import_module(".0032_fill_sort_keys", migrations.__name__)
    assert fill.sort_key(name) == sort_key(name)
