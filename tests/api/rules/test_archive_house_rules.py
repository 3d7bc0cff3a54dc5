"""House rules archived and offered again over REST; an event that plays their newest version."""

from tests.support.answers import Answer, post_json
from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.rest.before_acts import behind_its_rules, house
from tournaments.models.events import Event

CLUB = "/api/v1/clubs/riverside"
HOUSE = f"{CLUB}/variants/thursday-rules"


def post(cast: Cast, path: str, who: str = "dirk") -> Answer:
    return post_json(cast.client(who), path, {})


def test_house_rules_are_archived_and_offered_again(cast: Cast) -> None:
    house(cast)
    body = {"name": "A", "variant": "thursday-rules"}
    assert post(cast, f"{HOUSE}/archive", "hanna").status_code == 403
    archived = post(cast, f"{HOUSE}/archive")
    assert (archived.json()["archived"], archived["ETag"]) == (True, '"1"')
    assert post_json(cast.client("dirk"), f"{CLUB}/events", body).status_code == 422
    assert post(cast, f"{HOUSE}/unarchive").json()["archived"] is False
    assert cast.client().get(HOUSE).json()["archived"] is False
    assert post_json(cast.client("dirk"), f"{CLUB}/events", body).status_code == 201


def test_event_plays_the_newest_version_of_its_house_rules(cast: Cast) -> None:
    behind_its_rules(cast)
    address = f"{CLUB}/events/league/use-version"
    before = Event.objects.get().variant
    assert post(cast, address, "hanna").status_code == 403
    done = post(cast, address)
    assert (done.status_code, done.json()["variant"]) == (200, "thursday-rules-v2")
    assert before != "thursday-rules-v2"
    assert post(cast, address).json()["variant"] == "thursday-rules-v2"


def test_event_without_house_rules_stays_as_it_is(cast: Cast) -> None:
    league(cast.riverside)
    done = post(cast, f"{CLUB}/events/league/use-version")
    assert (done.status_code, done.json()["variant"]) == (200, "hearts")
