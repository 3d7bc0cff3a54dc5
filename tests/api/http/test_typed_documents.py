"""Published documents are typed member by member, and `plain` writes what the shape would."""

import json
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from api.lists import Flat, Listing
from api.schema_views import document
from api.serializers.fast_serialization import plain
from api.v1.clubs import clubs, players
from api.v1.events import events
from api.v1.hands import hands
from api.v1.hands.entries import hand_row
from api.v1.rounds import meetings, tables
from api.v1.rules import variants
from api.v1.standings import standings
from tests.api.conftest import Evening
from tests.support.builders import hand
from tests.support.history import make_all
from tests.support.published_documents import DocumentNotTyped, check_publication
from tests.support.rest.closed_schema import faults, validator_of
from tournaments.models.events import Season
from tournaments.models.rounds import Round
from tournaments.models.standings import Publication
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.clubs.clubs import list_clubs_for
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.players import player_rows
from tournaments.selectors.rounds.rounds import rounds_with_tables

AT = {"club": "riverside", "event": "league", "code": "r1t1", "number": 1}


def _rounds(actor: Actor, club: str, event: str) -> QuerySet[Round]:
    return rounds_with_tables(get_event(actor, club, event))


def _hands(actor: Actor, club: str, event: str, code: str) -> list[Flat]:
    return [hand_row(get_event(actor, club, event, code=code), code, 1)]


LISTINGS = [
    (Listing("clubs", clubs.ClubSerializer, list_clubs_for), ()),
    (Listing("players", players.PlayerSerializer, player_rows), ("club",)),
    (standings.list_publications, ("club", "event")),
    (Listing("rounds", meetings.RoundSerializer, _rounds), ("club", "event")),
    (hands.list_hands, ("club", "event")),
    (Listing("hands", tables.HandSerializer, _hands), ("club", "event", "code")),
    (tables.list_revisions, ("club", "event", "code", "number")),
    (variants.list_variants, ()),
]


def component(operation: str) -> str:
    """The component that an operation answers with; its whole form where `fields` may limit it."""
    for methods in document()["paths"].values():
        for one in methods.values():
            if one["operationId"] == operation:
                schema = one["responses"]["200"]["content"]["application/json"]["schema"]
                return str(schema.get("anyOf", [schema])[0]["$ref"]).rpartition("/")[2]
    raise AssertionError(operation)


def assert_typed(answer: Any, operation: str) -> None:
    assert answer.status_code == 200, answer.content
    assert faults(validator_of(component(operation)), json.loads(answer.content)) == []


def test_past_standings_have_the_members_of_their_types(evening: Evening, client: Client) -> None:
    make_all(evening.event.pk)
    assert_typed(client.get(f"{evening.at}/standings?round=1"), "read_standings")


def test_member_that_no_type_names_is_found(evening: Evening) -> None:
    body = json.loads(bytes(evening.publication.body))
    check_publication(Publication, evening.publication)
    body["rows"][0]["luck"] = 1
    with pytest.raises(DocumentNotTyped, match="luck"):
        check_publication(Publication, Publication(body=json.dumps(body).encode()))


def test_every_row_has_the_column_that_a_client_asks_for() -> None:
    row = document()["components"]["schemas"]["StandingsRow"]
    assert {"rank", "player_id", "points", "win_share", "thirteenth"} <= set(row["properties"])
    assert {"rank", "player_id", "player", "points", "values"} <= set(row["required"])


@pytest.mark.parametrize(("listing", "names"), LISTINGS, ids=lambda one: getattr(one, "name", ""))
def test_rows_of_a_list_are_written_as_its_shape_writes_them(
    evening: Evening, listing: Listing, names: tuple[str, ...]
) -> None:
    hand(evening.game, 1, [4, 1, 2, 6], 2, based_on=1, reason="South had her.")
    rows: list[Any] = list(listing.rows(ANYBODY, **{name: AT[name] for name in names}))
    shape = listing.shape()
    assert rows
    assert list(map(plain(listing.shape), rows)) == [shape.to_representation(row) for row in rows]


def test_season_is_its_slug_where_there_is_one(evening: Evening) -> None:
    day = timezone.now().date()
    season = Season.objects.create(
        club=evening.cast.riverside, slug="winter", name="Winter", starts_on=day, ends_on=day
    )
    write = plain(events.EventDetailSerializer)
    assert write(evening.event)["season"] is None
    evening.event.season = season
    assert write(evening.event) == events.EventDetailSerializer(evening.event).data
    assert write(evening.event)["season"] == "winter"


def test_object_without_a_needed_field_is_not_written() -> None:
    with pytest.raises(KeyError):
        plain(players.PlayerSerializer)({"player_id": "RL01"})


def test_bodies_say_what_an_entry_and_settings_may_have() -> None:
    schemas = document()["components"]["schemas"]
    bodies = {"NewHand": "entry", "NewEvent": "settings", "SettingsChange": "settings"}
    parts = {body: schemas[body]["properties"][name]["allOf"] for body, name in bodies.items()}
    assert parts["NewHand"] == [{"$ref": "#/components/schemas/Entry"}]
    assert parts["NewEvent"] == parts["SettingsChange"]
    assert parts["NewEvent"] == [{"$ref": "#/components/schemas/PartialEventSettings"}]
    settings = schemas["PartialEventSettings"]
    assert settings["properties"].keys() == schemas["EventSettings"]["properties"].keys()
    assert settings["properties"]["drop_worst"]["maximum"] == 99
    assert {"required"}.isdisjoint([*settings, *schemas["Entry"]])
