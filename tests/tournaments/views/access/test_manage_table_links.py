"""Cards of tables for their director: made, printed, replaced, revoked; and a host's tables."""

import re
from datetime import timedelta

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from tests.support.answers import Answer
from tests.support.builders import league, players, table
from tests.support.pages.text import summary, text_of
from tests.support.scenarios.table_links import EVENT, Linked, linked
from tournaments.models.access import TableLink
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.selectors.access.table_links import secrets_of

PAGES = (f"{EVENT}/tables/r1t1/link", f"{EVENT}/rounds/1/links", f"{EVENT}/links")


def acts() -> list[str]:
    """The club's record of its links, the first line first."""
    return [line.act for line in AuditLine.objects.filter(act__contains="link").order_by("number")]


def codes(answer: Answer) -> list[str]:
    """The short codes on a page."""
    return re.findall(r'<dd class="code"><b>([^<]*)</b>', answer.content.decode())


def test_card_is_printed_as_often_as_wanted_and_says_what_it_does(night: Linked) -> None:
    dirk = night.cast.client("dirk")
    first, second = (dirk.get(PAGES[0]) for _ in range(2))
    assert codes(first) == codes(second) == [night.secrets.code_in_print]
    page = text_of(first)
    assert "Table 1, round 1" in page
    assert "Elsa L. · Zoë L. · Ruth L. · Anton L." in page
    assert "testserver/t" in page
    assert "For entering and correcting the hands of this table only." in page
    assert night.secrets.token not in first.content.decode()
    assert 'alt="QR code that opens table 1"' in first.content.decode()


def test_new_link_ends_the_old_one(night: Linked) -> None:
    phone, dirk = night.holder(), night.cast.client("dirk")
    answer = dirk.post(PAGES[0], {"hours": "6"}, follow=True)
    assert "New link created for table 1. The old link no longer works." in text_of(answer)
    assert codes(answer) != [night.secrets.code_in_print]
    assert phone.get(f"{night.table}/hands/new").status_code == 404
    assert Client().get(f"/t/{night.secrets.token}").status_code == 404
    new = TableLink.objects.get(revoked_at=None)
    assert new.expires_at - new.made_at == timedelta(hours=6)
    assert Client().get(f"/t/{secrets_of(new.seed).token}").status_code == 302
    assert acts() == ["make_link", "use_link", "rotate_link", "use_link"]


def test_links_of_a_round_are_made_for_the_tables_that_have_none(night: Linked) -> None:
    dirk = night.cast.client("dirk")
    answer = dirk.post(PAGES[1], {"hours": "24"}, follow=True)
    assert "1 link created." in text_of(answer)
    assert len(codes(answer)) == 2
    assert night.secrets.code_in_print in codes(answer)
    answer = dirk.post(PAGES[1], {"hours": "24"}, follow=True)
    assert "Every table already has a link." in text_of(answer)
    assert TableLink.objects.count() == 2


@pytest.mark.parametrize(
    ("path", "text"),
    [(PAGES[0], "1 link revoked."), *((path, "2 links revoked.") for path in PAGES[1:])],
)
def test_links_of_a_place_are_revoked(night: Linked, path: str, text: str) -> None:
    dirk = night.cast.client("dirk")
    dirk.post(PAGES[1], {"hours": "24"})
    assert text in text_of(dirk.post(path, {"revoke": "yes"}, follow=True))
    answer = dirk.post(path, {"revoke": "yes"}, follow=True)
    assert "There was no link to revoke." in text_of(answer)
    assert acts() == ["make_link", "make_link", "revoke_links"]


def test_time_that_is_not_offered_is_refused(night: Linked) -> None:
    answer = night.cast.client("dirk").post(PAGES[0], {"hours": "100000"})
    assert answer.status_code == 422
    assert "Choose one of the times in the list." in summary(answer)
    assert TableLink.objects.count() == 1


def test_other_event_keeps_its_links(night: Linked) -> None:
    other = linked(night.cast, slug="cup")
    night.cast.client("dirk").post(PAGES[2], {"revoke": "yes"})
    assert TableLink.objects.get(revoked_at=None) == other.link


def test_link_outlives_a_change_of_the_key_but_is_not_printed_again(night: Linked) -> None:
    with override_settings(SECRET_KEY="another"):
        assert "cannot be printed again" in text_of(night.cast.client("dirk").get(PAGES[0]))
        assert Client().get(f"/t/{night.secrets.token}").status_code == 302
        assert Client().post("/t", {"code": night.secrets.code}).status_code == 422


def test_host_sees_the_tables_that_are_played_in_their_clubs(night: Linked) -> None:
    hilltop = league(night.cast.hilltop, slug="league", name="Hill league")
    table(hilltop, players(night.cast.hilltop, "Ada", "Ben", "Cem", "Dora"))
    Round.objects.filter(event=hilltop).update(state="posted")
    said = {name: text_of(night.cast.client(name).get("/my-tables")) for name in (
        "olga", "dirk", "hanna", "piet", "nora")}  # fmt: skip
    for name in ("olga", "dirk", "hanna"):
        assert "League, round 1" in said[name]
        assert "Elsa L. · Zoë L. · Ruth L. · Anton L." in said[name]
        assert "Hill league" not in said[name]
    assert "No tables in progress" in said["piet"]
    assert "Hill league, round 1" in said["nora"]
    Event.objects.filter(pk=night.game.event.pk).update(visibility="held")
    assert "League, round 1" in text_of(night.cast.client("dirk").get("/my-tables"))
    assert "No tables in progress" in text_of(night.cast.client("hanna").get("/my-tables"))
    Event.objects.filter(pk=night.game.event.pk).update(visibility="public")
    Round.objects.filter(event=night.game.event).update(state="closed")
    assert "No tables in progress" in text_of(night.cast.client("hanna").get("/my-tables"))


def test_expired_link_gives_way_to_a_new_one(night: Linked) -> None:
    past = timezone.now() - timedelta(days=2)
    TableLink.objects.update(made_at=past, expires_at=past + timedelta(hours=1))
    dirk = night.cast.client("dirk")
    assert "Create link" in text_of(dirk.get(PAGES[0]))
    dirk.post(PAGES[0], {"hours": "24"})
    assert TableLink.objects.filter(revoked_at=None).count() == 1
