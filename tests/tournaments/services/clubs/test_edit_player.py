"""Details of a player, and what the public reads of a name: who changes it, and what follows."""

import json
from datetime import date
from typing import Any

import pytest

from scoring.errors import Problem, Refused
from tests.support.builders import (
    TESTS,
    hand,
    ladder,
    league,
    link,
    players,
    publish_all,
    season,
    table,
)
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.outbox import Dirty
from tournaments.models.standings import Change, Publication
from tournaments.selectors.clubs.find_players import named_players
from tournaments.services.clubs.clubs import add_guest, add_player
from tournaments.services.clubs.edit_player import details_tag, edit_own_player, edit_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.verification.event import verify_event

pytestmark = pytest.mark.django_db

NAMES = ("Xenia S.", "Zoë K.", "Leo K.", "Anton S.")


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


def edit(cast: Cast, player: Player, *, by: str = "dirk", **changes: Any) -> Player:
    return edit_player(
        actor=cast.actor(by), club=cast.riverside, player=player, changes=changes, now=NOW
    )


def refusals(cast: Cast, player: Player, **changes: Any) -> list[str]:
    with pytest.raises(Refused) as refused:
        edit(cast, player, **changes)
    return [problem.code for problem in refused.value.problems]


def rows(publication: Publication | None) -> list[dict[str, Any]]:
    assert publication is not None
    found: list[dict[str, Any]] = json.loads(bytes(publication.body))["rows"]
    return found


def test_mistyped_name_is_mended_and_the_next_publication_has_it(
    cast: Cast, people: list[Player]
) -> None:
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


def test_policy_reaches_final_events_their_season_and_ladders(
    cast: Cast, people: list[Player]
) -> None:
    event, climbing = league(cast.riverside), ladder(cast.riverside)
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    hand(table(climbing, people), 1, [4, 1, 2, 6], 3)
    autumn = season(event)
    publish_all(climbing)
    Event.objects.filter(pk=event.pk).update(state="final")
    edit(cast, people[0], nickname="Zed")
    assert not Dirty.objects.filter(scope=f"event:{event.pk}", done__lt=1).exists()
    club = set_names_policy(
        actor=cast.actor("olga"), club=cast.riverside, policy="nickname", now=NOW
    )
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
        one.refresh_from_db()
        found_again = verify_event(one, repair=False, now=NOW, report=lambda _text: None)
        assert not found_again.differs


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
        changed = edit_own_player(
            actor=cast.actor(name), club=cast.riverside, player=xenia, shown_as=shown_as, now=NOW
        )
        return changed.public_name

    assert choose("piet", "number") == "RL01"
    assert choose("piet", "") == "Xenia S."
    set_names_policy(actor=cast.actor("olga"), club=cast.riverside, policy="number", now=NOW)
    assert choose("piet", "full") == "RL01"
    for stranger in ("hanna", "olga", "nora"):
        with pytest.raises(Forbidden):
            choose(stranger, "full")
    with pytest.raises(Refused):
        choose("piet", "everything")
    assert refusals(cast, xenia, shown_as="") == ["shown_as_is_own"]
    assert edit(cast, people[1], shown_as="nickname").public_name == "RL02"


def test_who_may_change_a_player_and_the_policy(cast: Cast, people: list[Player]) -> None:
    for name in ("piet", "hanna", "nora"):
        with pytest.raises(Forbidden):
            edit(cast, people[0], by=name, name="Nobody")
    with pytest.raises(Forbidden):
        set_names_policy(actor=cast.actor("dirk"), club=cast.riverside, policy="full", now=NOW)
    with pytest.raises(Refused):
        set_names_policy(actor=cast.actor("olga"), club=cast.riverside, policy="none", now=NOW)


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
    with pytest.raises(Conflict) as taken:
        edit(cast, xenia, player_id="RL02")
    assert taken.value.problem.code == "player_id_taken"
    table(league(cast.riverside), people)
    assert refusals(cast, zoe, player_id="RL99") == ["player_id_is_used"]


def test_number_of_somebody_who_never_played_changes(cast: Cast, people: list[Player]) -> None:
    set_names_policy(actor=cast.actor("olga"), club=cast.riverside, policy="number", now=NOW)
    changed = edit(cast, people[0], player_id="RL99")
    assert (changed.player_id, changed.public_name) == ("RL99", "RL99")
    line = AuditLine.objects.get(act="edit_player")
    assert line.facts == {"changed": ["player_id"], "player_id": ["RL01", "RL99"]}


def test_change_based_on_other_details_is_refused(cast: Cast, people: list[Player]) -> None:
    seen = details_tag(people[0])
    edit(cast, people[0], nickname="Zed")
    with pytest.raises(Conflict) as outdated:
        edit_player(
            actor=cast.actor("dirk"), club=cast.riverside, player=people[0],
            changes={"name": "Xena"}, based_on=seen, now=NOW,
        )  # fmt: skip
    assert outdated.value.problem.code == "player_outdated"


def test_somebody_new_is_shown_by_the_policy_of_the_moment(cast: Cast) -> None:
    before = cast.riverside
    set_names_policy(actor=cast.actor("olga"), club=before, policy="initial", now=NOW)
    named = add_player(actor=TESTS, club=before, name="Ann Bell", now=NOW)
    guest = add_guest(actor=TESTS, club=before, name="Bo Cole", now=NOW)
    assert [named.public_name, guest.public_name] == ["Ann B.", "Bo C."]


def test_player_who_is_not_active_is_found_by_the_whole_name_and_never_offered(
    cast: Cast, people: list[Player]
) -> None:
    edit(cast, people[0], is_active=False)
    found = named_players(cast.riverside)
    assert found.meant("Xenia S.", ()) == found.meant("rl01", ()) == people[0]
    begun = found.meant("Xen", ())
    assert isinstance(begun, Problem)
    assert begun.suggestions == ()
