"""An owner made by an invitation runs a league by REST alone, with a token from the page.

The site's first owner invites with the page; the person who joins makes a token on a page. From
there on no page is used until the phone of a table opens its link.
"""

import re
from dataclasses import dataclass, field
from itertools import count

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client

from tests.support.answers import Answer, Json, send_json
from tests.support.builders import players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import errors
from tournaments.domain.event_settings import PRESET_KEYS
from tournaments.models.access import Invitation
from tournaments.models.events import Event
from tournaments.selectors.access.invitations import printable_token

CLUB = "/api/v1/clubs/riverside"
NEW = {"email": "wanda@riverside.example", "password1": "Nine lives, one queen"}
TOKEN = {"name": "League program", "scope": "manage", "club": "riverside", "days": "90"}
SEATS = ("L1", "L2", "L3", "L4")
HAND = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}


@dataclass
class Program:
    """A program with a token: it knows addresses and bodies, and no page."""

    token: str
    keys: "count[int]" = field(default_factory=count)

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send a request under a key of its own."""
        return send_json(
            Client(),
            method,
            path if path.startswith("/") else f"{CLUB}/{path}",
            {} if body is None else body,
            Authorization=f"Bearer {self.token}",
            Idempotency_Key=f"key-{next(self.keys)}",
            **headers,
        )

    def get(self, path: str) -> Answer:
        """Read something."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return Client().get(f"{CLUB}/{path}" if path else CLUB, headers=headers)

    def done(self, method: str, path: str, body: object = None, **headers: str) -> Json:
        """Send a request that must be done, and return its answer."""
        answer = self.send(method, path, body, **headers)
        assert answer.status_code in (200, 201), answer.content
        found: Json = answer.json()
        return found


@pytest.fixture
def program(clock: time_machine.Traveller, cast: Cast) -> Program:
    """What an owner runs who joined by the pages, and made its token on the page."""
    cache.clear()
    players(cast.riverside, "Wanda W.")
    asked = {"names": "Wanda W.", "role": "owner", "create": "1"}
    cast.client("olga").post("/clubs/riverside/members/invite", asked)
    phone = Client()
    phone.get(f"/invitations/{printable_token(Invitation.objects.get())}")
    assert phone.post("/invitations/join", NEW).status_code == 302
    assert "your role is owner" in text_of(phone.get("/clubs/riverside"))
    page = phone.post("/tokens", TOKEN).content.decode()
    found = re.search(r'id="plain" value="([^"]+)"', page)
    assert found is not None, page
    return Program(found[1])


def test_league_is_run_by_rest_from_its_season_to_its_end(program: Program) -> None:
    days = {"starts_on": "2025-09-01", "ends_on": "2025-12-31"}
    season = program.done("POST", "seasons", {"name": "Autumn 2025", "preset": "places", **days})
    assert (season["slug"], season["table"], season["events"]) == ("autumn-2025", "places", [])
    made = program.done(
        "POST",
        "events",
        {
            "name": "Thursday league",
            "variant": "hearts",
            "preset": "places",
            "season": "autumn-2025",
            "settings": {"length": "hands:1"},
            "meetings": ["2025-11-06", "2025-11-13"],
        },
    )
    assert (made["state"], made["season"]) == ("draft", "autumn-2025")
    assert made["settings"]["length"] == "hands:1"
    assert program.get("seasons/autumn-2025").json()["events"] == ["thursday-league"]
    event = "events/thursday-league"
    dates = [one["date"] for one in program.get(f"{event}/meetings").json()["results"]]
    assert sorted(dates) == ["2025-11-06", "2025-11-13"]

    for name, code in zip(("Cleo S.", "Carla K.", "Farid D.", "Jonas K."), SEATS, strict=True):
        program.done("POST", "players", {"name": name, "player_id": code})
    assert program.done("POST", f"{event}/state", {"to": "open"})["state"] == "open"
    tables = [{"number": 1, "seats": list(SEATS)}]
    program.done("POST", f"{event}/rounds", {"date": "2025-11-06", "tables": tables})
    program.done("POST", f"{event}/rounds/1/state", {"to": "posted"})
    link = program.done("POST", f"{event}/links", {"table": "r1t1"})
    (listed,) = program.get(f"{event}/links").json()["results"]
    assert listed == {key: link[key] for key in listed}
    assert set(link) - set(listed) == {"url", "short_code"}

    phone = Client()
    opened = phone.get(link["url"], follow=True)
    assert "Cleo S." in text_of(opened)
    program.done("POST", f"{event}/tables/r1t1/hands", {"number": 1, "entry": HAND})
    refused = program.send("POST", f"{event}/state", {"to": "closed"})
    assert (refused.status_code, errors(refused)[0][0]) == (409, "rounds_still_open")
    program.done("POST", f"{event}/rounds/1/state", {"to": "closed"})
    assert program.done("POST", f"{event}/state", {"to": "closed"})["state"] == "closed"
    assert program.done("DELETE", f"{event}/links/r1t1") == {"revoked": 1}
    assert program.get(f"{event}/links").json()["results"] == []
    assert Client().get(link["url"]).status_code == 404

    needs = program.send("POST", f"{event}/state", {"to": "open"})
    assert (needs.status_code, errors(needs)) == (422, [("reason_required", "/reason")])
    program.done("POST", f"{event}/state", {"to": "open", "reason": "One sheet was missing."})
    program.done("POST", f"{event}/state", {"to": "closed"})
    after = program.done("POST", f"{event}/copy", {"name": "Winter league"})
    assert (after["slug"], after["state"], after["season"]) == ("winter-league", "draft", None)
    assert after["settings"]["length"] == "hands:1"
    ids = {
        one["player_id"] for one in program.get("events/winter-league/entrants").json()["results"]
    }
    assert ids == set(SEATS)


@pytest.mark.parametrize("preset", PRESET_KEYS)
def test_event_of_each_preset_is_made_and_opened_by_rest(program: Program, preset: str) -> None:
    variant = "partnership-hearts" if preset in ("pairs", "teams") else "hearts"
    body = {"name": f"By {preset}", "variant": variant, "preset": preset}
    made = program.done("POST", "events", body)
    program.done("POST", f"events/by-{preset}/state", {"to": "open"})
    event = Event.objects.get(slug=f"by-{preset}")
    assert (event.state, made["kind"]) == ("open", "league")
    stages = program.get(f"events/by-{preset}/stages").json()["results"]
    assert len(stages) == (2 if preset == "swiss" else 1)
