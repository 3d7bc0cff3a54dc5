"""A table's link: its card for the director, a host's tables, and the hands saved by it."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import signing
from django.test import Client, override_settings
from django.utils import timezone

from tests.support.answers import Answer
from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tests.support.pages.hand_entry import Host, hidden, typed
from tests.support.pages.photos import picture, send, stored
from tests.support.pages.text import summary, text_of
from tests.support.scenarios.table_links import EVENT, Linked, linked
from tournaments.models.access import TableLink
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, ReadBack
from tournaments.models.rounds import Round, SheetPhoto
from tournaments.selectors.access.table_links import COOKIE, cookie_of, secrets_of
from tournaments.services.access.table_links import make_link, revoke_links
from tournaments.services.operations import Operation

DEAD = "This link does not open a table. Ask the director for a new code."


def newest(night: Linked) -> Entry:
    return Entry.objects.order_by("-pk").select_related("hand__game")[0]


def test_phone_without_an_account_scans_the_card_and_enters_a_hand(night: Linked) -> None:
    phone = night.holder()
    page = text_of(phone.get("/t"))
    assert "Table 1, round 1" in page
    assert "It gives no access to other tables" in page
    assert "Everyone who can see this event sees it beside each hand you enter." in page
    cookie = phone.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert night.secrets.token not in cookie.value
    on = phone.post("/t", {"name": " Hanne "})
    assert (on.status_code, on["Location"]) == (302, f"{night.table}/hands/new")
    saved = Host(phone, f"{night.table}/hands/new").send(typed([3, 3, 3, 4], 2))
    assert (saved.status_code, saved["Location"]) == (302, f"{night.table}/hands/new")
    entry = newest(night)
    assert (entry.hand.game_id, entry.hand.number, entry.source) == (night.game.pk, 2, "link")
    assert (entry.link_id, entry.entered_as, entry.entered_by) == (night.link.pk, "Hanne", None)
    for reader in (phone, Client()):
        assert "Hanne, at the table" in text_of(reader.get(night.table))
    phone.post("/t", {"leave": "yes"})
    assert phone.get(f"{night.table}/hands/new").status_code == 302
    assert "Join a table" in text_of(phone.get("/t"))


def test_undo_goes_through_the_link_too(night: Linked) -> None:
    phone = night.holder()
    Host(phone, f"{night.table}/hands/1/edit").send(typed([4, 2, 1, 6], 3), reason="Swapped.")
    phone.post(f"{night.table}/hands/1/undo", {"based_on": "2"})
    assert (newest(night).revision, newest(night).source) == (3, "link")


def test_pages_of_the_table_lead_nowhere_else(night: Linked) -> None:
    phone = night.holder()
    own = (night.table, f"{night.table}/rules", f"{night.table}/hands/1")
    of_the_phone = ("/manifest.webmanifest", "/on-this-phone")
    evening = f"{night.event}/meetings/2025-11-06/players/"
    known = (night.table, "/t", "/static/", "#", *of_the_phone, evening)
    for path in (*own, f"{night.table}/hands/new", "/t"):
        page = phone.get(path).content.decode()
        links = [part.partition('"')[0] for part in page.split('href="')[1:]]
        assert {link for link in links if not link.startswith(known)} == set(), path
        assert 'class="mast"' not in page


def test_card_leads_to_the_evening_of_each_player_if_public(cast: Cast, night: Linked) -> None:
    page = night.holder().get("/t").content.decode()
    assert page.count(f'href="{night.event}/meetings/2025-11-06/players/RL0') == 4
    held = linked(cast, visibility="members", slug="private")
    page = held.holder().get("/t").content.decode()
    assert "/meetings/" not in page
    assert "Elsa P. · Zoë P." in re.sub(r"\s+", " ", page)


def test_own_table_without_that_hand_says_so_within_the_table(night: Linked) -> None:
    gone = night.holder().get(f"{night.table}/hands/9")
    assert "There is no hand with that number at this table." in text_of(gone, 404)
    assert "/clubs/" not in gone.content.decode().partition("<main")[2]


def without_token(answer: Answer) -> str:
    fields = r'<input[^>]*name="(?:csrfmiddlewaretoken|code)"[^>]*>'
    return re.sub(fields, "", answer.content.decode())


@pytest.mark.parametrize("method", ["get", "post"])
def test_cookie_of_a_dead_link_is_answered_as_one_of_another_table(
    night: Linked, method: str
) -> None:
    elsewhere = f"{night.event}/tables/r1t2/hands/new"
    never = f"{night.event}/tables/r7t7/hands/new"
    phone = night.holder()
    forged = Client()
    forged.cookies[COOKIE] = "forged"
    answers = [getattr(phone, method)(path) for path in (elsewhere, never)]
    answers.append(getattr(forged, method)(f"{night.table}/hands/new"))
    TableLink.objects.update(revoked_at=timezone.now())
    answers.append(getattr(phone, method)(f"{night.table}/hands/new"))
    TableLink.objects.update(revoked_at=None)
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        answers.append(getattr(phone, method)(f"{night.table}/hands/new"))
    said = {(answer.status_code, without_token(answer)) for answer in answers}
    assert said == {(404, without_token(answers[0]))}
    assert DEAD in text_of(answers[0])
    assert Entry.objects.count() == 2


def test_cookie_opens_a_table_only_as_this_site_signed_it_for_that(night: Linked) -> None:
    cookie = night.holder().cookies[COOKIE].value
    content, _, signature = cookie.partition(":")
    told = [night.link.seed, ""]
    with override_settings(SECRET_KEY="another"):
        foreign = cookie_of(night.link, "")
    for value, status in (
        (cookie, 200),
        (cookie_of(night.link, ""), 200),
        (f"{content[:-1]}{'A' if content[-1] != 'A' else 'B'}:{signature}", 404),
        (cookie.rpartition(":")[0] + ":", 404),
        (foreign, 404),
        (signing.dumps(told, salt="tournaments.invitations"), 404),
    ):
        phone = Client()
        phone.cookies[COOKIE] = value
        assert phone.get(f"{night.table}/hands/new").status_code == status, value


def test_hand_typed_under_a_dead_link_is_saved_under_the_next(night: Linked) -> None:
    phone = night.holder()
    host = Host(phone, f"{night.table}/hands/new")
    new = make_link(Operation(night.dirk, timezone.now()), night.game.table)
    assert "nothing you entered is lost" in text_of(host.send(typed([3, 3, 3, 4], 2)), 404)
    phone.get(f"/t/{secrets_of(new.seed).token}")
    assert host.send({}).status_code == 302
    entry = newest(night)
    assert (entry.hand.number, entry.link_id) == (2, new.pk)
    assert entry.typed == {"hearts": [3, 3, 3, 4], "taken": [[], ["QS"], [], []]}


def test_code_is_read_whatever_its_case_blanks_and_hyphens(night: Linked) -> None:
    code = night.secrets.code
    for typed_so in (code.lower(), night.secrets.code_in_print, f" {code[:4]} - {code[4:]} "):
        phone = Client()
        assert phone.post("/t", {"code": typed_so})["Location"] == "/t"
        assert phone.get(night.table + "/hands/new").status_code == 200


@pytest.mark.parametrize(
    ("state", "works"), [("draft", False), ("posted", True), ("playing", True), ("closed", False)]
)
def test_code_works_in_a_posted_or_playing_round(night: Linked, state: str, works: bool) -> None:
    Round.objects.update(state=state)
    assert Client().post("/t", {"code": night.secrets.code}).status_code == (302 if works else 422)


def test_first_use_is_written_down_once_and_holds_no_secret(night: Linked) -> None:
    night.holder()
    night.holder()
    assert [
        (line.actor, line.subject, line.facts) for line in AuditLine.objects.filter(act="use_link")
    ] == [(f"link:{night.link.pk}", "event:league/table:r1t1", {"link": night.link.pk})]


def test_opening_another_table_leaves_the_first(night: Linked) -> None:
    phone = night.holder(name="Hanne")
    second = make_link(Operation(night.dirk, timezone.now()), night.other.table)
    phone.get(f"/t/{secrets_of(second.seed).token}")
    assert phone.get(f"{night.event}/tables/r1t2/hands/new").status_code == 200
    assert phone.get(f"{night.table}/hands/new").status_code == 404
    assert 'value="Hanne"' in phone.get("/t").content.decode()


def test_host_who_holds_a_link_enters_under_their_own_name(night: Linked) -> None:
    hanna = night.cast.client("hanna")
    hanna.get(f"/t/{night.secrets.token}")
    Host(hanna, f"{night.table}/hands/new").send(typed([3, 3, 3, 4], 2))
    assert (newest(night).source, newest(night).entered_as) == ("host", "hanna")


def test_photo_is_added_through_the_link_and_seen_there(night: Linked) -> None:
    phone = night.holder(name="Hanne")
    photos = f"{night.table}/photos"
    assert f'href="{photos}"' in phone.get(night.table).content.decode()
    assert "1 photo saved." in text_of(send(phone, picture(), address=photos))
    assert phone.get(f"{photos}/1")["Content-Type"] == "image/jpeg"
    photo = SheetPhoto.objects.get()
    assert (photo.added_as, photo.added_by) == ("Hanne", None)
    assert AuditLine.objects.get(act="add_photo").actor == f"link:{night.link.pk}"
    assert "Delete photo" not in text_of(phone.get(photos))
    assert phone.post(f"{photos}/1/remove", {"reason": "x"}).status_code in (302, 403)
    assert len(stored()) == 1


def test_sheet_is_checked_and_completed_through_the_link(cast: Cast, night: Linked) -> None:
    phone = night.holder(name="Hanne")
    page = phone.get(f"{night.table}/read-back")
    done: Any = phone.post(
        f"{night.table}/read-back", {"sheet": hidden(page)["sheet"][0]}, follow=True
    )
    assert "Checked against the sheet by Hanne," in text_of(done)
    assert Game.objects.get(pk=night.game.pk).state == "complete"
    assert (ReadBack.objects.get().by_as, ReadBack.objects.get().by) == ("Hanne", None)
    assert AuditLine.objects.get(act="read_back").actor == f"link:{night.link.pk}"
    assert "Checked against the sheet by Hanne," in text_of(cast.client("dirk").get(night.table))


def test_totals_go_in_through_the_link_of_their_table(cast: Cast, night: Linked) -> None:
    dirk: Client = cast.client("dirk")
    dirk.post(f"{night.table}/hands/1/void", {"based_on": "1", "reason": "The sheet was lost."})
    phone = night.holder()
    fields = {f"points-{seat}": str(total) for seat, total in enumerate((60, 84, 6, 58), 1)}
    page = phone.get(f"{night.table}/totals")
    phone.post(f"{night.table}/totals", {**fields, "key": hidden(page)["key"][0], "hands": "8"})
    entry = Entry.objects.get(hand__game=night.game, hand__number=0)
    assert (entry.typed, entry.source) == ({"points": [60, 84, 6, 58]}, "link")


PAGES = (f"{EVENT}/tables/r1t1/link", f"{EVENT}/rounds/1/links", f"{EVENT}/links")


def operations() -> list[str]:
    return [line.act for line in AuditLine.objects.filter(act__contains="link").order_by("number")]


def codes(answer: Answer) -> list[str]:
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
    assert operations() == ["make_link", "use_link", "rotate_link", "use_link"]


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
    assert operations() == ["make_link", "make_link", "revoke_links"]


def test_time_that_is_not_offered_is_refused(night: Linked) -> None:
    answer = night.cast.client("dirk").post(PAGES[0], {"hours": "100000"})
    assert "Choose one of the times in the list." in summary(answer, 422)
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


def test_revoked_link_says_so_and_claims_nothing_of_what_is_saved(night: Linked) -> None:
    phone = night.holder(name="Hanne")
    Host(phone, f"{night.table}/hands/new").send(typed([3, 3, 3, 4], 2))
    assert "Undo hand 2" in text_of(phone.get(f"{night.table}/hands/new"))
    revoke_links(Operation(night.dirk, timezone.now()), night.game.table)
    assert DEAD in text_of(phone.get("/t"))
    undone = text_of(phone.post(f"{night.table}/hands/2/undo-entry"))
    assert DEAD in undone
    assert "Nothing is saved yet" not in undone
    assert newest(night).hand.state == "accepted"


def test_sheet_checked_by_somebody_without_a_name_says_somebody(cast: Cast, night: Linked) -> None:
    phone = night.holder()
    page = phone.get(f"{night.table}/read-back")
    phone.post(f"{night.table}/read-back", {"sheet": hidden(page)["sheet"][0]})
    for address in (night.table, f"{night.table}/read-back"):
        assert "by somebody, " in text_of(cast.client("dirk").get(address))
