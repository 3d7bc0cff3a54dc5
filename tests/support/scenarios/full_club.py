"""A club with rows in nearly every table: events of several kinds, a plan, a photo, a merge."""

from tests.support.answers import post_json
from tests.support.builders import by_tests, finished, league, players, publish_all, season, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import evening
from tests.support.history import make_all
from tests.support.lengths import short_or_long
from tests.support.pages.photos import picture, send
from tests.support.scenarios.ladders import climbing
from tests.support.scenarios.random_events import people_of, small_event
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.clubs.personal_links import set_contact
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.publications import publish

EVENTS = short_or_long(3, 12)
PLANS = "/api/v1/clubs/riverside/events/league/meetings/2025-11-13/plans"


def fill_club(cast: Cast) -> list[Event]:
    """Play in Riverside: random events, a ladder, an evening that is planned; all is published."""
    people = people_of(cast)
    played = [small_event(cast, people, seed).event for seed in range(EVENTS)]
    for event in played:
        publish(event.pk, now=NOW)
        make_all(event.pk)
    season(played[0])
    game = Game.objects.filter(event=played[0]).select_related("table").order_by("pk")[0]
    place = f"/clubs/riverside/events/{played[0].slug}/tables/{game.table.code}/photos"
    assert send(cast.client("dirk"), picture(), address=place).status_code == 200
    planned = _planned_evening(cast)
    (double,) = players(cast.riverside, "Person O1")
    op = cast.operation("dirk")
    set_contact(op, people[1], email="second@riverside.example", has_consent=True)
    people[1].fills_in = True
    people[1].save(update_fields=["fills_in"])
    merge_players(by_tests(), double, target=people[0])
    on_ladder = climbing(cast)
    finished(table(on_ladder, people[:4], round_number=2))
    publish_all(on_ladder)
    return [*played, planned, on_ladder]


def _planned_evening(cast: Cast) -> Event:
    """Seat the first Swiss round of an evening from its plan."""
    event = league(cast.riverside, settings={"primary": "placement_points"})
    evening(event, 12)
    dirk = cast.client("dirk")
    response = post_json(dirk, PLANS, {"movement": "swiss", "sizes": [4, 3]})
    assert response.status_code == 201, response.content
    at = f"/api/v1/clubs/riverside/events/league/plans/{response.json()['plans'][0]['id']}"
    assert post_json(dirk, f"{at}/choose", {}).status_code == 200
    publish(event.pk, now=NOW)
    return event
