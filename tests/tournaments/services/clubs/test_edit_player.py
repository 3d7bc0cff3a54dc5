"""Players of a club: added, changed, linked to accounts."""

import json
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User

from scoring.errors import Problem, Refused
from tests.support.builders import (
    by_tests,
    hand,
    ladder,
    league,
    link,
    players,
    publish_all,
    season,
    table,
)
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.players import stored_player
from tests.support.verification import require_clean
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty
from tournaments.models.standings import Change, Publication
from tournaments.selectors.clubs.find_players import named_players
from tournaments.services.clubs.clubs import add_guest, add_player, change_player
from tournaments.services.clubs.members import link_account, link_player, unlink_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season

pytestmark = pytest.mark.django_db

NAMES = ("Xenia S.", "Zoë K.", "Leo K.", "Anton S.")
Club = tuple[Cast, Player, Player]


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


def edit(cast: Cast, player: Player, *, by: str = "dirk", **changes: Any) -> Player:
    return change_player(cast.operation(by), player, **changes)


def refusals(cast: Cast, player: Player, **changes: Any) -> list[str]:
    with pytest.raises(Refused) as refused:
        edit(cast, player, **changes)
    return [problem.code for problem in refused.value.problems]


def rows(publication: Publication | None) -> list[dict[str, Any]]:
    assert publication is not None
    found: list[dict[str, Any]] = json.loads(bytes(publication.body))["rows"]
    return found


def test_mistyped_name_is_corrected_and_published_next(cast: Cast, people: list[Player]) -> None:
    event = league(cast.riverside)
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    before = rows(publish(event.pk, now=NOW))
    edit(cast, people[1], name=" Zoe  Klein ", joined=date(2024, 5, 1))
    after = publish(event.pk, now=NOW)
    assert [row["player"] for row in rows(after)] == ["Zoe Klein", "Leo K.", "Xenia S.", "Anton S."]
    values = [(row["rank"], row["values"]) for row in rows(after)]
    assert values == [(row["rank"], row["values"]) for row in before]
    assert after is not None
    assert after.number == 2
    assert after.names_version == 1
    assert list(Change.objects.filter(event=event).values_list("kind", "by", "facts")) == [
        ("names", "director", {})
    ]
    line = AuditLine.objects.get(act="edit_player")
    assert (line.subject, line.facts) == ("player:RL02", {"changed": ["name", "joined"]})


def test_policy_reaches_final_events_season_and_ladders(cast: Cast, people: list[Player]) -> None:
    event, climbing = league(cast.riverside), ladder(cast.riverside)
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    hand(table(climbing, people), 1, [4, 1, 2, 6], 3)
    autumn = season(event)
    publish_all(climbing)
    Event.objects.filter(pk=event.pk).update(state="final")
    edit(cast, people[0], nickname="Zed")
    assert not Dirty.objects.filter(scope=f"event:{event.pk}", done__lt=1).exists()
    club = set_names_policy(cast.operation("olga"), cast.riverside, policy="nickname")
    assert (club.names_policy, club.names_version) == ("nickname", 1)
    shown = {"RL01": "Zed", "RL02": "RL02", "RL03": "RL03", "RL04": "RL04"}
    standings = publish(event.pk, now=NOW)
    publish(climbing.pk, now=NOW)
    for found in (
        standings,
        publish_season(autumn.pk, now=NOW),
        publish_ladder(climbing.pk, now=NOW),
    ):
        assert {row["player_id"]: row["player"] for row in rows(found)} == shown
        assert found is not None
        assert (found.number, found.names_version) == (2, 1)
    for one in (event, climbing):
        require_clean(one)


def test_publication_that_shows_nobody_who_changed_gets_todays_names_version(
    cast: Cast, people: list[Player]
) -> None:
    event = league(cast.riverside)
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    edit(cast, people[0], name="Xenia")
    edit(cast, people[0], name="Xenia S.")
    again = publish(event.pk, now=NOW)
    assert again is not None
    assert (again.number, again.names_version) == (1, 2)


def test_own_choice_counts_where_it_is_stricter(cast: Cast, people: list[Player]) -> None:
    xenia = people[0]
    link(xenia, cast.users["piet"])

    def choose(name: str, shown_as: str) -> str:
        changed = change_player(cast.operation(name), xenia, shown_as=shown_as)
        return changed.public_name

    assert choose("piet", "number") == "RL01"
    assert choose("piet", "") == "Xenia S."
    set_names_policy(cast.operation("olga"), cast.riverside, policy="number")
    assert choose("piet", "full") == "RL01"
    for stranger in ("hanna", "nora"):
        with pytest.raises(Forbidden):
            choose(stranger, "full")
    with pytest.raises(Forbidden):
        edit(cast, xenia, by="piet", name="X", shown_as="full")
    with pytest.raises(Refused):
        choose("piet", "everything")
    assert refusals(cast, xenia, shown_as="") == ["shown_as_is_own"]
    assert edit(cast, people[1], shown_as="nickname").public_name == "RL02"


def test_refusals_come_all_at_once(cast: Cast, people: list[Player]) -> None:
    xenia, zoe = people[:2]
    assert refusals(cast, xenia, name=" ", nickname="zoë  k.", player_id="..") == [
        "no_name",
        "nickname_taken",
        "player_id_not_usable",
    ]
    assert refusals(cast, xenia, name="x" * 121, nickname="x" * 61, player_id="1" * 41) == [
        "name_too_long",
        "nickname_too_long",
        "number_too_long",
    ]
    with pytest.raises(Conflict, match="player_id_taken"):
        edit(cast, xenia, player_id="RL02")
    table(league(cast.riverside), people)
    assert refusals(cast, zoe, player_id="RL99") == ["player_id_is_used"]


def test_number_of_somebody_who_never_played_changes(cast: Cast, people: list[Player]) -> None:
    set_names_policy(cast.operation("olga"), cast.riverside, policy="number")
    with pytest.raises(Conflict, match="player_outdated"):
        edit(cast, people[0], based_on="0123456789ab", player_id="RL99")
    changed = edit(cast, people[0], player_id="RL\t99")
    assert (changed.player_id, changed.public_name) == ("RL 99", "RL 99")
    line = AuditLine.objects.get(act="edit_player")
    assert line.facts == {"changed": ["player_id"], "player_id": ["RL01", "RL 99"]}


def test_somebody_new_is_shown_by_the_policy_of_the_moment(cast: Cast) -> None:
    before = cast.riverside
    set_names_policy(cast.operation("olga"), before, policy="initial")
    named = add_player(by_tests(), before, name="Ann Bell")
    guest = add_guest(by_tests(), before, name="Bo Cole")
    assert [named.public_name, guest.public_name] == ["Ann B.", "Bo C."]


def test_inactive_player_is_found_by_the_whole_name(cast: Cast, people: list[Player]) -> None:
    edit(cast, people[0], is_active=False)
    found = named_players(cast.riverside)
    assert found.meant("Xenia S.", ()) == found.meant("rl01", ()) == people[0]
    begun = found.meant("Xen", ())
    assert isinstance(begun, Problem)
    assert begun.suggestions == ()


def add(cast: Cast, name: str, player_id: str = "") -> Player:
    return add_player(by_tests(), cast.riverside, name=name, player_id=player_id)


@pytest.mark.parametrize(
    ("name", "player_id", "code"),
    [
        (" \n ", "", "no_name"),
        ("x" * 121, "", "name_too_long"),
        ("Ann", " ", "player_id_not_usable"),
        ("Ann", "7/1", "player_id_not_usable"),
        ("Ann", "7" * 41, "number_too_long"),
    ],
)
def test_what_cannot_be_stored_is_refused(cast: Cast, name: str, player_id: str, code: str) -> None:
    with pytest.raises(Refused, match=code):
        add(cast, name, player_id)
    assert not Player.objects.exists()


def test_id_that_differs_by_case_only_is_taken(cast: Cast) -> None:
    add(cast, "Ann", "rl1")
    ben = add(cast, "Ben", "RL2")
    with pytest.raises(Conflict, match="player_id_taken"):
        add(cast, "Cleo", " RL1 ")
    with pytest.raises(Conflict, match="player_id_taken"):
        rename(cast, ben, "RL1")
    assert rename(cast, ben, "rl2").player_id == "rl2"


def test_ids_of_an_older_release_that_differ_by_case_stay(cast: Cast) -> None:
    for code in ("p0001", "P0001"):
        stored_player(club=cast.riverside, player_id=code, name=f"Player {code}")
    older = Player.objects.get(player_id="p0001")
    change_player(by_tests(), older, name="Ann")
    add(cast, "Ben", "P3")
    assert add_guest(by_tests(), cast.riverside, name="Cleo").player_id == "P0002"
    codes = Player.objects.order_by("pk").values_list("player_id", flat=True)
    assert list(codes) == ["p0001", "P0001", "P3", "P0002"]


def rename(cast: Cast, player: Player, player_id: str) -> Player:
    return change_player(by_tests(), player, player_id=player_id)


@pytest.fixture
def club(db: None) -> Club:
    cast = enter_the_cast()
    cleo, carla = players(cast.riverside, "Cleo S.", "Carla K.")
    return cast, cleo, carla


def link_user(cast: Cast, player: Player, name: str) -> Player:
    return link_player(cast.operation("dirk"), player, user=cast.users[name])


def refusal(cast: Cast, player: Player, name: str) -> str:
    with pytest.raises(Conflict) as refused:
        link_user(cast, player, name)
    return refused.value.problem.code


def test_director_links_and_unlinks_a_member_who_keeps_the_role(club: Club) -> None:
    cast, cleo, _carla = club
    assert link_user(cast, cleo, "hanna").user == cast.users["hanna"]
    assert link_user(cast, cleo, "hanna").user == cast.users["hanna"]
    unlink_player(cast.operation("dirk"), cleo)
    cleo.refresh_from_db()
    assert cleo.user is None
    assert Membership.objects.get(user=cast.users["hanna"]).role == "host"
    lines = AuditLine.objects.filter(subject="player:RL01", act__endswith="link_player")
    user = cast.users["hanna"].pk
    assert list(lines.order_by("number").values_list("act", "facts")) == [
        ("link_player", {"user": user}),
        ("unlink_player", {"user": user}),
    ]


def test_erased_and_merged_players_get_no_account(club: Club) -> None:
    cast, cleo, carla = club
    Player.objects.filter(pk=cleo.pk).update(erased_at=NOW)
    assert refusal(cast, cleo, "piet") == "player_is_erased"
    Player.objects.filter(pk=cleo.pk).update(erased_at=None, merged_into=carla)
    assert refusal(cast, cleo, "piet") == "player_is_merged"


def test_stranger_is_linked_by_an_invitation_and_not_by_hand(club: Club) -> None:
    cast, cleo, _carla = club
    cleos = User.objects.create_user("cleo")
    with pytest.raises(Refused, match="not_a_member"):
        link_player(cast.operation("dirk"), cleo, user=cleos)
    link_account(cast.operation("hanna"), cleo, user=cleos)
    assert Membership.objects.get(club=cast.riverside, user=cleos).role == "player"
    assert AuditLine.objects.get(act="link_player").facts == {"user": cleos.pk, "role": "player"}


def test_who_may_change_a_player_and_the_policy(cast: Cast, people: list[Player]) -> None:
    for name in ("piet", "hanna", "nora"):
        with pytest.raises(Forbidden):
            edit(cast, people[0], by=name, name="Nobody")
    with pytest.raises(Forbidden):
        set_names_policy(cast.operation("dirk"), cast.riverside, policy="full")
    with pytest.raises(Refused):
        set_names_policy(cast.operation("olga"), cast.riverside, policy="none")


@pytest.mark.parametrize("change", ["player_is_erased", "player_is_merged", "player"])
def test_player_who_is_gone_is_not_edited(cast: Cast, people: list[Player], change: str) -> None:
    row = Player.objects.filter(pk=people[0].pk)
    if change == "player_is_erased":
        row.update(erased_at=NOW)
    elif change == "player_is_merged":
        row.update(merged_into=people[1])
    else:
        row.delete()
    with pytest.raises((Conflict, Missing), match=change):
        edit(cast, people[0], name="Xenia T.")
