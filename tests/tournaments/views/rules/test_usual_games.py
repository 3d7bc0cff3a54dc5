"""Where a game is chosen, the club's own rules and what it usually plays come first."""

import pytest

from tests.support.builders import by_tests, league
from tests.support.cast import Cast
from tournaments.selectors.rules.rule_sets import MOST_USUAL, offered_to
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules
from tournaments.views.rules.variant_options import grouped_games

pytestmark = pytest.mark.django_db

PLAYED = (
    "reversis", "omnibus-hearts", "likha", "hearts", "spot-hearts", "queens", "omnibus-hearts",
)  # fmt: skip
"""What the events of the club play, the oldest first."""


def play(cast: Cast) -> None:
    for number, variant in enumerate(PLAYED):
        league(cast.riverside, slug=f"league-{number}", name=f"League {number}", variant=variant)


def test_last_games_of_the_club_and_hearts_are_before_all_others(cast: Cast) -> None:
    play(cast)
    (usual, first), (other, rest) = grouped_games(offered_to(cast.riverside))
    assert (usual, other) == ("Usual games", "Other games")
    assert [key for key, _name in first] == [
        "omnibus-hearts", "queens", "spot-hearts", "likha", "hearts",
    ]  # fmt: skip
    assert len(first) == MOST_USUAL
    names = [name for _key, name in rest]
    assert names == sorted(names)
    keys = [key for key, _name in (*first, *rest)]
    assert sorted(keys) == sorted(offered_to(cast.riverside).site.ids), "each once"


def test_club_without_an_event_finds_hearts_first(cast: Cast) -> None:
    play(cast)
    [(_usual, first), _rest] = grouped_games(offered_to(cast.hilltop))
    assert first == [("hearts", "Hearts (American)")]


def test_house_rules_are_a_group_of_their_own(cast: Cast) -> None:
    chosen = chosen_rules("hearts", {"target": 50})
    version = make_house_rules(by_tests(), cast.riverside, name="Thursday rules", chosen=chosen)
    league(cast.riverside, variant=version.code)
    groups = grouped_games(offered_to(cast.riverside))
    assert [group for group, _games in groups] == ["House rules", "Usual games", "Other games"]
    assert [key for key, _name in groups[0][1]] == [version.code]
    assert [key for key, _name in groups[1][1]] == ["hearts"]


def test_form_offers_them_in_groups(cast: Cast) -> None:
    play(cast)
    page = cast.client("dirk").get("/clubs/riverside/new-event").content.decode()
    assert page.index('<optgroup label="Usual games">') < page.index('<option value="queens"')
    assert page.index('<option value="queens"') < page.index('<optgroup label="Other games">')
    assert page.count('<option value="queens"') == 1
