"""The name and the address of an event: changed by directors, led on from the former address."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import typed
from tests.support.pages.outbox import shell
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.table_links import linked
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, FormerEventSlug
from tournaments.models.hands import Hand
from tournaments.services.clubs.names import taken_event_slugs
from tournaments.services.events.change_event import change_event
from tournaments.services.events.events import create_event
from tournaments.services.hands.record_entry import void_hand
from tournaments.services.publishing.publications import publish

AT = "/clubs/riverside/events/league"
PERMANENT = 308


def save(client: Client, at: str = AT, **more: str) -> Answer:
    """Change some fields of the form and send it whole, as a browser does."""
    form = client.get(f"{at}/name").context["form"]
    fields = {name: form[name].value() for name in form.fields}
    return client.post(f"{at}/name", {**fields, **more}, follow=True)


def moved(cast: Cast, event: Event, slug: str) -> Event:
    return change_event(
        actor=cast.actor("dirk"), event=Event.objects.get(pk=event.pk), slug=slug, now=NOW
    )


@pytest.fixture
def event(cast: Cast) -> Event:
    found = league(cast.riverside)
    hand(table(found, players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], 3)
    publish(found.pk, now=NOW)
    return found


def test_former_address_leads_to_the_new_one_on_pages_and_over_rest(
    cast: Cast, event: Event
) -> None:
    saved = save(cast.client("dirk"), name="Cup", slug="autumn")
    assert saved.redirect_chain == [("/clubs/riverside/events/autumn/direct", 302)]
    assert "Name and address saved." in text_of(saved)
    publish(event.pk, now=NOW)
    for path in (
        *(AT, f"{AT}?sort=hands", f"{AT}/publications/1", f"{AT}/tables/r1t1/hands/1"),
        *(f"/api/v1{AT}", f"/api/v1{AT}/standings.csv", f"/api/v1{AT}/publications?limit=1"),
    ):
        answer = cast.client().get(path)
        to = path.replace("events/league", "events/autumn")
        assert (answer.status_code, answer.headers["Location"]) == (PERMANENT, to), path
        assert "no-store" in answer.headers["Cache-Control"]
        assert cast.client().get(to).status_code == 200, path
    body = cast.client().get("/api/v1/clubs/riverside/events/autumn/standings").json()
    assert (body["event"]["slug"], body["event"]["name"]) == ("autumn", "Cup")
    assert cast.client().get(f"{AT}x").status_code == 404
    line = AuditLine.objects.get(act="change_event_address")
    assert line.facts == {"from": "league", "to": "autumn"}


def test_no_other_event_of_the_club_gets_a_former_address(cast: Cast, event: Event) -> None:
    moved(cast, event, "two")
    moved(cast, event, "three")
    for slug in ("league", "two", "three"):
        with pytest.raises(Conflict, match="slug_taken"):
            create_event(
                actor=TESTS, club=cast.riverside, name="X", slug=slug, variant="hearts", now=NOW
            )
    new = create_event(actor=TESTS, club=cast.riverside, name="League", variant="hearts", now=NOW)
    assert new.slug == "league-2"
    there = create_event(actor=TESTS, club=cast.hilltop, name="League", variant="hearts", now=NOW)
    assert there.slug == "league"
    refused = save(cast.client("dirk"), "/clubs/riverside/events/league-2", slug="two")
    assert (refused.status_code, beside(refused, "slug")) == (422, "two is already taken.")
    moved(cast, event, "league")
    assert cast.client().get(AT).status_code == 200
    former = FormerEventSlug.objects.filter(event=event).values_list("slug", flat=True)
    assert set(former) == {"two", "three"}
    assert {"league", "two", "three", "league-2"} <= taken_event_slugs(cast.riverside)


def test_former_address_leads_nobody_to_an_event_they_may_not_read(
    cast: Cast, event: Event
) -> None:
    moved(cast, event, "quiet")
    Event.objects.filter(pk=event.pk).update(visibility="members")
    found = {name: cast.client(name).get(AT).status_code for name in ("", "nora", "piet")}
    assert found == {"": 404, "nora": 404, "piet": PERMANENT}
    assert "quiet" not in cast.client().get(f"/api/v1{AT}").content.decode()


def test_phone_at_a_table_goes_on_while_club_and_event_move(cast: Cast) -> None:
    night = linked(cast, visibility="held")
    phone, new = night.holder(), f"{night.table}/hands/new"
    owner = shell(phone.get(new))["owner"]
    fields = typed([1, 4, 2, 6], queen=3) | {"number": "2"}
    moved(cast, night.game.event, "moved")
    answer = phone.post(new, fields)
    to = new.replace("events/league", "events/moved")
    assert (answer.status_code, answer.headers["Location"]) == (PERMANENT, to)
    assert phone.post(new, fields, headers={"X-Outbox": str(owner)}).status_code == 200
    assert Hand.objects.filter(game=night.game).count() == 2


def test_what_the_audit_trail_says_of_the_event_is_found_after_it_moved(cast: Cast) -> None:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, *"ABCD"))
    hand(game, 1, [4, 1, 2, 6], 3)
    void_hand(
        actor=cast.actor("dirk"), game=game, number=1, based_on=1, reason="Dealt twice.", now=NOW
    )
    moved(cast, event, "autumn")
    page = cast.client("dirk").get("/clubs/riverside/events/autumn/tables/r1t1/hands/1")
    assert "Dealt twice." in text_of(page)


def test_address_that_cannot_be_used_is_refused_beside_its_field(cast: Cast, event: Event) -> None:
    refused = save(cast.client("dirk"), slug="Ärger")
    assert refused.status_code == 422
    assert beside(refused, "slug").startswith("Ärger cannot be used.")
    assert Event.objects.get(pk=event.pk).slug == "league"
    assert cast.client("hanna").get(f"{AT}/name").status_code == 403
