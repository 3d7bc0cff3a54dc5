"""The settings of a club on its page, and the trail of what was done in it."""

import html
import io
import json
import re
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from scoring.errors import Refused
from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.forms import as_shown
from tests.support.pages.hand_entry import typed
from tests.support.pages.outbox import shell
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.table_links import linked
from tournaments.domain.club_settings import CLUB_SETTINGS
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, ClubLogo, FormerSlug
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.standings import Change
from tournaments.selectors.events.settings_checks import club_settings
from tournaments.services.clubs.clubs import create_club, set_logo
from tournaments.services.publishing.publications import publish

AT = "/clubs/riverside/settings"


PERMANENT = 308


def save(client: Client, at: str = AT, **more: str) -> Answer:
    return client.post(at, {**as_shown(client.get(at).context["settings"]), **more}, follow=True)


def published(cast: Cast, slug: str = "league") -> Event:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    event = league(cast.riverside, slug=slug)
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return event


def test_former_address_leads_on_on_pages_and_over_rest(cast: Cast) -> None:
    published(cast)
    saved = save(cast.client("olga"), slug="riverside-hearts")
    assert saved.redirect_chain == [("/clubs/riverside-hearts/settings", 302)]
    assert "Club settings saved." in text_of(saved)
    for path in (
        "/clubs/riverside",
        "/clubs/riverside/events/league?sort=hands",
        "/api/v1/clubs/riverside",
        "/api/v1/clubs/riverside/events/league/standings.csv",
        "/api/v1/clubs/riverside/events?limit=1",
    ):
        moved = cast.client().get(path)
        to = path.replace("riverside", "riverside-hearts", 1)
        assert (moved.status_code, moved.headers["Location"]) == (PERMANENT, to)
        assert "no-store" in moved.headers["Cache-Control"]
        assert cast.client().get(path, follow=True).status_code == 200, path
    assert cast.client().get("/clubs/riverside/events/none", follow=True).status_code == 404


def test_chain_of_addresses_leads_to_the_newest_and_the_club_takes_one_back(cast: Cast) -> None:
    olga = cast.client("olga")
    for before, after in (("riverside", "two"), ("two", "three")):
        save(olga, f"/clubs/{before}/settings", slug=after)
    for former in ("riverside", "two"):
        assert cast.client().get(f"/clubs/{former}").headers["Location"] == "/clubs/three"
    for slug in ("riverside", "two", "three"):
        with pytest.raises(Conflict, match="slug_taken"):
            create_club(by_tests(), name="Other", slug=slug)
    assert create_club(by_tests(), name="Two").slug == "two-2"
    back = save(olga, "/clubs/three/settings", slug="riverside")
    assert back.redirect_chain == [("/clubs/riverside/settings", 302)]
    assert cast.client().get("/clubs/riverside").status_code == 200
    assert cast.client().get("/clubs/three").headers["Location"] == "/clubs/riverside"
    assert set(FormerSlug.objects.values_list("slug", flat=True)) == {"two", "three"}


def test_former_address_of_a_club_for_members_leads_only_its_members_on(cast: Cast) -> None:
    save(cast.client("olga"), slug="quiet", visibility="members")
    answers = {name: cast.client(name).get("/clubs/riverside") for name in ("", "nora", "piet")}
    assert {name: one.status_code for name, one in answers.items()} == {
        "": 404, "nora": 404, "piet": PERMANENT,
    }  # fmt: skip
    for path in ("/clubs/riverside", "/api/v1/clubs/riverside"):
        assert "quiet" not in cast.client().get(path).content.decode()


def test_hand_that_is_entered_while_the_club_moves_is_stored(cast: Cast) -> None:
    night = linked(cast, visibility="held")
    phone, new = night.holder(), f"{night.table}/hands/new"
    page = phone.get(new)
    fields = typed([1, 4, 2, 6], queen=3) | {"number": "2"}
    save(cast.client("olga"), slug="moved")
    moved = phone.post(new, fields)
    to = new.replace("riverside", "moved")
    assert (moved.status_code, moved.headers["Location"]) == (PERMANENT, to)
    assert page.status_code == 200
    assert phone.post(to, fields).status_code == 302
    assert Hand.objects.filter(game=night.game).count() == 2
    owner = shell(phone.get(to))["owner"]
    later = typed([2, 3, 2, 6], queen=3) | {"number": "3", "key": "phone-3"}
    sent = phone.post(new, later, headers={"X-Outbox": owner})
    assert (sent.status_code, sent.json()["state"]) == (200, "sent")
    assert Hand.objects.filter(game=night.game).count() == 3


def test_other_name_is_published_with_the_same_places_in_final_events_too(cast: Cast) -> None:
    first, second = published(cast), league(cast.riverside, slug="cup")
    Event.objects.filter(pk=first.pk).update(state="final")
    before = cast.client().get("/api/v1/clubs/riverside/events/league/standings").json()
    save(cast.client("olga"), name="Riverside Hearts Club")
    for event in (first, second):
        publish(event.pk, now=NOW)
    after = cast.client().get("/api/v1/clubs/riverside/events/league/standings").json()
    assert after["club"]["name"] == "Riverside Hearts Club"
    assert after["publication"]["number"] == before["publication"]["number"] + 1
    assert after["rows"] == before["rows"]
    assert [(one.event_id, one.kind, one.by) for one in Change.objects.all()] == [
        (first.pk, "names", "owner")
    ]
    changes = text_of(cast.client().get("/clubs/riverside/events/league/changes"))
    assert "Names changed, places are the same" in changes
    assert AuditLine.objects.get(act="change_club").facts == {"settings": {}, "renamed": True}


def test_owner_changes_everything_else_in_one_form(cast: Cast) -> None:
    saved = save(
        cast.client("olga"), time_zone="Europe/Berlin", visibility="members",
        names_policy="initial", event_creators="owners", accent="own", colour="#7A1F3D",
        reminder_days="5",
    )  # fmt: skip
    shown = text_of(saved)
    for value in (
        "Time zone Europe/Berlin", "Visibility Members only", "New events Owners only",
        "Names of players First name and initial", "Colour #7a1f3d",
        "Reminders 5 days before an evening",
    ):  # fmt: skip
        assert value in shown, value
    club = Club.objects.get(pk=cast.riverside.pk)
    assert (club.is_public, club.names_policy, club.colour) == (False, "initial", "#7a1f3d")
    assert cast.client().get("/clubs/riverside").status_code == 404


ANOTHER = {
    "name": {"name": "River"}, "slug": {"slug": "river"},
    "time_zone": {"time_zone": "Europe/Berlin"},
    "colour": {"accent": "own", "colour": "#7a1f3d"},
    "seating": {"fives": "on", "prefer": "fives"},
    "how_to_join": {"how_to_join": "Come.\r\nPlay."}, "front_event": {"front_event": "league"},
}  # fmt: skip
"""Setting → what is typed to change it, where its kind does not say that."""


def another(key: str) -> dict[str, str]:
    setting = CLUB_SETTINGS[key]
    texts = {"flag": "on", "days": str(setting.most), "number": str(setting.most)}
    if setting.kind == "choice":
        texts["choice"] = list(setting.labels)[-1]
    return ANOTHER.get(key) or {key: texts.get(setting.kind, "x" * setting.most)}


@pytest.mark.parametrize("key", [key for key, setting in CLUB_SETTINGS.items() if setting.section])
def test_every_setting_is_on_the_page_and_saved_alone(cast: Cast, key: str) -> None:
    league(cast.riverside)
    before = club_settings(cast.riverside)
    saved = save(cast.client("olga"), **another(key))
    assert [status for _, status in saved.redirect_chain] == [302]
    after = club_settings(Club.objects.get(pk=cast.riverside.pk))
    assert [name for name in before if before[name] != after[name]] == [key]


@pytest.mark.parametrize(
    ("text", "stored", "says"),
    [
        ("2", 2, ""), (" 14 ", 14, ""), ("", 0, ""), ("0", 0, ""),
        ("1", 3, "1 cannot be used. Enter a whole number from 2 to 14."),
        ("15", 3, "15 cannot be used. Enter a whole number from 2 to 14."),
        ("many", 3, "many cannot be used. Enter a whole number from 2 to 14."),
        ("9" * 5000, 3, "cannot be used. Enter a whole number from 2 to 14."),
    ],
)  # fmt: skip
def test_number_is_saved_or_refused_beside_its_field(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, text: str, stored: int, says: str
) -> None:
    setting = replace(CLUB_SETTINGS["reminder_days"], kind="number", default=0, least=2)
    monkeypatch.setitem(CLUB_SETTINGS, setting.key, setting)
    answer = save(cast.client("olga"), reminder_days=text)
    assert Club.objects.get(pk=cast.riverside.pk).reminder_days == stored
    if says:
        assert says in beside(answer, "reminder_days", 422)
    else:
        assert "Club settings saved." in text_of(answer)


def test_two_owners_at_one_page_see_each_other(cast: Cast) -> None:
    tag = cast.client("olga").get(AT).context["settings"]["based_on"].value()
    save(cast.client("olga"), name="Riverside One")
    refused = cast.client("olga").post(
        AT, {"based_on": tag, "name": "Riverside Two", "slug": "riverside", "time_zone": "UTC"}
    )
    assert "The settings of the club have changed." in summary(refused, 422)
    assert Club.objects.get(pk=cast.riverside.pk).name == "Riverside One"


def test_owners_alone_create_events_where_the_club_says_so(cast: Cast) -> None:
    published(cast)
    links = ("/clubs/riverside/new-event", "/clubs/riverside/events/league/next")
    save(cast.client("olga"), event_creators="owners")
    for path in links:
        assert cast.client("dirk").get(path).status_code == 403
        assert cast.client("olga").get(path).status_code == 200
    for page in ("/clubs/riverside", "/clubs/riverside/events/league/direct"):
        text = cast.client("dirk").get(page).content.decode()
        assert [path for path in links if path in text] == [], page
    assert cast.client("dirk").post(links[1], {"name": "Cup"}).status_code == 403
    assert Event.objects.count() == 1
    assert cast.client("olga").post(links[1], {"name": "Cup"}).status_code == 302


def test_colour_is_served_in_a_stylesheet(cast: Cast) -> None:
    save(cast.client("olga"), accent="own", colour="#7a1f3d")
    page = cast.client().get("/clubs/riverside").content.decode()
    found = re.search(r'href="(/clubs/riverside/accent/[0-9a-f]+\.css)"', page)
    assert found
    sheet = cast.client().get(found[1])
    assert (sheet.status_code, sheet["Content-Type"]) == (200, "text/css; charset=utf-8")
    assert "light-dark(#7a1f3d, #b68494)" in sheet.content.decode()
    assert sheet["Cache-Control"] == "private, max-age=86400"
    save(cast.client("olga"), accent="own", colour="#0a5167")
    assert cast.client().get(found[1]).status_code == 404
    save(cast.client("olga"), accent="standard")
    assert "accent" not in cast.client().get("/clubs/riverside").content.decode()


def png(width: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, 300), "darkred").save(file, "PNG")
    return file.getvalue()


def test_logo_is_written_anew_as_png_and_shown_beside_the_name(cast: Cast) -> None:
    sent = cast.client("olga").post(
        f"{AT}/logo", {"logo": SimpleUploadedFile("logo.png", png(900))}, follow=True
    )
    assert "Logo saved." in text_of(sent)
    page = cast.client().get("/clubs/riverside").content.decode()
    found = re.search(r'<img class="mast-logo" src="([^"]+)" alt="">', page)
    assert found
    answer = cast.client().get(found[1])
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    with Image.open(io.BytesIO(answer.content)) as image:
        assert (image.format, image.size) == ("PNG", (256, 85))
    assert cast.client().get(f"/clubs/riverside/logo/{'0' * 64}.png").status_code == 404
    assert cast.client().get("/clubs/riverside/logo/.png").status_code == 404
    removed = cast.client("olga").post(f"{AT}/logo", {"remove": "yes"}, follow=True)
    assert "Logo removed." in text_of(removed)
    assert (cast.client().get(found[1]).status_code, ClubLogo.objects.count()) == (404, 0)
    operations = AuditLine.objects.order_by("number").values_list("act", flat=True)
    assert list(operations)[-2:] == ["set_logo", "remove_logo"]


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"<svg onload=alert(1)>", "This file is not a readable picture."),
     (None, "Choose a picture first.")],
)  # fmt: skip
def test_file_that_is_no_logo_is_refused(cast: Cast, content: bytes | None, says: str) -> None:
    file = {} if content is None else {"logo": SimpleUploadedFile("logo.png", content)}
    refused = cast.client("olga").post(f"{AT}/logo", file)
    assert (refused.status_code, says in beside(refused, "logo")) == (422, True)
    assert ClubLogo.objects.count() == 0


def test_picture_is_cleaned_before_a_transaction_begins(cast: Cast) -> None:
    """It takes longer than all the rest; other writers of SQLite would wait for it."""
    with CaptureQueriesContext(connection) as queries, pytest.raises(Refused, match="not_a_photo"):
        set_logo(by_tests(), cast.riverside, content=b"GIF")
    assert queries.captured_queries == []


def test_logo_of_a_club_for_members_is_theirs(cast: Cast) -> None:
    cast.client("olga").post(f"{AT}/logo", {"logo": SimpleUploadedFile("logo.png", png(900))})
    save(cast.client("olga"), visibility="members")
    address = json.loads(cast.client("piet").get("/api/v1/clubs/riverside").content)["logo"]
    assert [cast.client(name).get(address).status_code for name in ("", "nora", "piet")] == [
        404, 404, 200,
    ]  # fmt: skip


TRAIL = "/clubs/riverside/audit"


def plain_text(answer: Answer) -> str:
    return html.unescape(answer.content.decode())


def test_trail_is_searched_and_goes_on_on_the_next_page(cast: Cast, olga: Client) -> None:
    players(cast.riverside, *(f"Player {n}" for n in range(1, 56)))
    own = plain_text(olga.get(f"{TRAIL}?act=add_player&object=player:RL02"))
    assert [text in own for text in ("player:RL02", "player:RL01", "Show all")] == [
        True, False, True,
    ]  # fmt: skip
    assert "No line of the audit trail matches." in plain_text(olga.get(f"{TRAIL}?day=2025-11-07"))
    odd = olga.get(f"{TRAIL}?day=someday")
    assert odd.status_code == 422
    assert "Enter a date, for example 2025-11-06." in plain_text(odd)
    page = plain_text(olga.get(f"{TRAIL}?day=2025-11-06"))
    before = page.split('href="?', 1)[1].split("before=", 1)[1].split('"', 1)[0]
    last = plain_text(olga.get(f"{TRAIL}?before={before}"))
    assert "Create club" in last
    assert "club:riverside" in last
    assert "Earlier lines" not in last


def test_refused_acts_are_listed_beside_the_trail(cast: Cast, olga: Client) -> None:
    assert "Refused acts" not in plain_text(olga.get(TRAIL))
    for _ in range(2):
        cast.client("nora").post("/clubs/riverside/settings")
    page = plain_text(olga.get(TRAIL))
    section = page[page.index("<h2>Refused acts</h2>") :]
    assert "nora" in section
    assert "Manage club" in section
    assert "2 attempts" in section
    assert "Refused acts" in plain_text(olga.get(f"{TRAIL}?by=nora"))
    assert "Refused acts" not in plain_text(olga.get(f"{TRAIL}?object=club"))
