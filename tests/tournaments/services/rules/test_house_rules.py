"""A club's own rules: what they are called, which version is meant, what keeps them from going."""

from pathlib import Path

import pytest

from scoring.errors import Problem, Refused
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.imports.imports import imported, rows, written
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Snapshot
from tournaments.models.rules import HouseVariant, HouseVersion
from tournaments.selectors.rules.rule_sets import offered_in, offered_to
from tournaments.services.rules.house_rules import (
    add_version,
    archive_house_rules,
    chosen_rules,
    delete_version,
    make_house_rules,
)

PEOPLE = ("Alma D.", "Bruno K.", "Cleo S.", "Dario D.")


def thursday(club: Club, name: str = "Thursday rules", slug: str = "") -> HouseVersion:
    """Omnibus to 61 with a bonus of 11."""
    chosen = chosen_rules("omnibus", {"target": 61, "bonus_value": -11})
    return make_house_rules(by_tests(), club, name=name, slug=slug, chosen=chosen)


def second(first: HouseVersion, target: int = 71) -> HouseVersion:
    chosen = chosen_rules(first.base, {**first.options, "target": target})
    return add_version(by_tests(), first.variant, chosen=chosen)


def problems(club: Club, name: str, slug: str = "") -> list[tuple[str, tuple[object, ...]]]:
    with pytest.raises(Refused) as refused:
        thursday(club, name, slug)
    return [(problem.code, problem.at) for problem in refused.value.problems]


def test_house_rules_are_found_by_their_name_their_address_and_their_version(cast: Cast) -> None:
    first = thursday(cast.riverside)
    assert (first.code, first.title) == ("thursday-rules-v1", "Thursday rules, version 1")
    second(first)
    offered = offered_to(cast.riverside)
    for text in ("Thursday rules", "thursday-rules", "THURSDAY  RULES", "thursday-rules-v2"):
        assert offered.find(text) == "thursday-rules-v2", text
    assert offered.find("Thursday rules, version 1") == "thursday-rules-v1"
    rules = offered.rules("Thursday rules")
    assert rules.name == "Thursday rules, version 2"
    assert rules.keys.finish[0].value == 71
    assert offered.rules("thursday-rules-v1").keys.finish[0].value == 61
    assert offered.description_of(offered.ids[0]).name == "Thursday rules, version 2"
    assert offered_to(cast.hilltop).rules_named("Thursday rules") is None


def test_options_go_over_those_of_the_house_rules(cast: Cast) -> None:
    thursday(cast.riverside)
    offered = offered_to(cast.riverside)
    rules = offered.rules("thursday-rules", {"target": 81, "ten_of_clubs": "double"})
    assert rules.options == {"bonus_value": -11, "target": 81, "ten_of_clubs": "double"}
    assert rules.keys.finish[0].value == 81
    (problem,) = offered.rule_problems("thursday-rules", {"deals": 5})
    assert problem.code == "bad_option"
    assert 'It cannot be combined with "Number of hands"' in problem.message


def test_wrong_name_is_told_the_closest_of_the_clubs_own(cast: Cast) -> None:
    thursday(cast.riverside)
    (problem,) = offered_to(cast.riverside).rule_problems("thursday rule", None)
    assert problem.code == "unknown_variant"
    assert problem.suggestions[0].facts["name"] == "thursday-rules-v1"


def test_name_that_means_something_already_is_refused(cast: Cast) -> None:
    assert problems(cast.riverside, "Black Lady", "ours") == [("name_of_a_variant", ("name",))]
    assert problems(cast.riverside, "Ours", "gong-zhu") == [("name_of_a_variant", ("slug",))]
    assert problems(cast.riverside, "omnibus J♦", "ours") == [("name_of_a_variant", ("name",))]
    thursday(cast.riverside)
    assert problems(cast.riverside, "THURSDAY rules") == [("house_name_taken", ("name",))]
    assert problems(cast.riverside, "Ours", "thursday-rules") == [("house_name_taken", ("slug",))]
    assert problems(cast.riverside, "Hearts v2") == [("name_is_a_version", ("name",))]
    assert problems(cast.riverside, "Ours", "ours-v2") == [("name_is_a_version", ("slug",))]
    assert problems(cast.riverside, " ") == [("no_name", ("name",))]
    assert problems(cast.riverside, "x" * 81, "x") == [("name_too_long", ("name",))]
    assert problems(cast.riverside, "木曜", "") == [("no_slug", ("slug",))]
    assert problems(cast.riverside, "Ours", "Our Own") == [("bad_slug", ("slug",))]
    assert HouseVariant.objects.count() == HouseVersion.objects.count() == 1
    assert thursday(cast.hilltop).code == "thursday-rules-v1"


def test_event_keeps_its_version_when_another_is_made(cast: Cast) -> None:
    first = thursday(cast.riverside)
    event = league(cast.riverside, variant="Thursday rules")
    people = players(cast.riverside, *PEOPLE)
    game = table(event, people)
    hand(game, 1, [4, 1, 2, 6], 3, taken=[["JD"], [], [], ["QS"]])
    second(first)
    event = Event.objects.get(pk=event.pk)
    assert event.variant == "thursday-rules-v1"
    assert offered_in(event).find("Thursday rules") == "thursday-rules-v1"
    later = table(event, people, round_number=2)
    assert later.snapshot == game.snapshot
    assert later.snapshot.variant_name == "Thursday rules, version 1"
    other = league(cast.riverside, slug="other", variant="thursday-rules")
    assert Snapshot.objects.get(event=other).variant == "thursday-rules-v2"


def test_sheet_names_house_rules_in_its_variant_column(cast: Cast, tmp_path: Path) -> None:
    first = thursday(cast.riverside)
    league(cast.riverside)
    players(cast.riverside, *PEOPLE)
    second(first)
    sheets = (("Thursday rules", 1, "v2"), ("thursday-rules-v1", 2, "v1"))
    for variant, number, version in sheets:
        night = rows(1, variant=variant, table=number, round_=10 + number, jack={"N": "1"})
        report = imported(written(tmp_path, night))
        assert (list(report.problems), report.accepted) == ([], 1)
        assert Snapshot.objects.filter(variant=f"thursday-rules-{version}").count() == 1


def test_version_that_an_event_plays_is_not_deleted(cast: Cast) -> None:
    first = thursday(cast.riverside)
    league(cast.riverside, variant="thursday-rules", name="Autumn")
    last = second(first)
    with pytest.raises(Conflict) as conflict:
        delete_version(by_tests(), first)
    assert conflict.value.problem.code == "version_in_use"
    assert conflict.value.problem.facts["events"] == "Autumn"
    assert delete_version(by_tests(), last)
    assert list(HouseVersion.objects.values_list("code", flat=True)) == ["thursday-rules-v1"]
    assert second(first, target=72).code == "thursday-rules-v3"


def test_house_rules_go_with_their_last_version(cast: Cast) -> None:
    assert not delete_version(by_tests(), thursday(cast.riverside))
    assert not HouseVariant.objects.exists()
    assert thursday(cast.riverside).code == "thursday-rules-v1"


def test_archived_house_rules_are_offered_no_more_but_played_on(cast: Cast) -> None:
    first = thursday(cast.riverside)
    event = league(cast.riverside, variant="thursday-rules")
    archive_house_rules(by_tests(), first.variant, archived=True)
    assert offered_to(cast.riverside).rules_named("thursday-rules-v1") is None
    assert offered_to(cast.riverside).house == ()
    assert table(event, players(cast.riverside, *PEOPLE)).snapshot.variant == "thursday-rules-v1"
    with pytest.raises(Refused, match=r"^house_rules_archived$"):
        second(first)
    archive_house_rules(by_tests(), first.variant, archived=False)
    assert offered_to(cast.riverside).find("thursday-rules") == "thursday-rules-v1"


@pytest.mark.parametrize(
    ("base", "options", "code", "at"),
    [
        ("no such game", {}, "unknown_variant", ("base",)),
        ("hearts", {"all_to_one": "carry"}, "bad_option", ("options", "all_to_one")),
        ("hearts", {"removed_cards": {"4": ["2C"]}}, "bad_option", ("options", "removed_cards")),
        ("hearts", {"target": 50, "deals": 8}, "bad_option", ("options", "target")),
        ("hearts", {"targett": 50}, "unknown_option", ("options", "targett")),
        ("hearts", {"target": 0}, "bad_option", ("options", "target")),
        ("omnibus", {"target": -1}, "bad_option", ("options", "target")),
        ("gong-zhu", {"target": 1000}, "bad_option", ("options", "target")),
        ("hearts", {"target_op": "<"}, "bad_option", ("options", "target_op")),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_place(
    base: str, options: dict[str, object], code: str, at: tuple[str, ...]
) -> None:
    with pytest.raises(Refused) as refused:
        chosen_rules(base, options)
    found: list[Problem] = list(refused.value.problems)
    assert [(one.code, one.at) for one in found] == [(code, at)]


def test_house_rules_are_made_by_directors_and_audited(cast: Cast) -> None:
    chosen = chosen_rules("hearts", {"target": 50})
    for name in ("hanna", "piet", "nora"):
        with pytest.raises(Forbidden):
            make_house_rules(cast.operation(name), cast.riverside, name="X", chosen=chosen)
    made = make_house_rules(cast.operation("dirk"), cast.riverside, name="Sprint", chosen=chosen)
    line = AuditLine.objects.filter(club=cast.riverside).last()
    assert line is not None
    assert (line.act, line.subject) == ("make_house_rules", "club:riverside/house-rules:sprint")
    assert line.facts == {"version": 1, "base": "hearts", "options": {"target": 50}}
    assert made.made_as == "Dirk"
