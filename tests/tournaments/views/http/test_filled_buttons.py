"""Each page of the demo has at most one filled button, and it is not destructive."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.support.builders import by_tests, hand, link, worker_runs
from tests.support.cast import Cast
from tests.support.evenings import check_in, evening, plans
from tests.support.imports.imports import rows, written
from tests.support.module_scope import made_once
from tests.support.pages.filled_buttons import DESTRUCTIVE, filled_buttons
from tests.support.pages.linked_pages import linked_pages
from tests.support.scenarios.demo_club import demo_club
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.services.access.table_links import make_links
from tournaments.services.operations import OPERATIONS
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.compute_plan import choose_plan

pytestmark = pytest.mark.django_db

CLUB: Final = "/clubs/riverside"
EVENT: Final = f"{CLUB}/events/league"
ROLES: Final = ("", "piet", "mia", "hanna", "olga")
"""The public, who sent a challenge and who got it, a host, the owner of the club."""
AT_THE_EVENING: Final = ("", "mia", "hanna", "olga")
PAGES: Final = (
    *(CLUB, f"{CLUB}/evenings", f"{CLUB}/manage", "/me", "/my-tables"),
    *(f"{EVENT}{page}" for page in ("", "/direct", "/meetings", "/links", "/paper-sheets")),
    *(f"{EVENT}/meetings/{{day}}/{page}" for page in ("attendance", "plans", "seating")),
    *(f"{EVENT}/rounds/11{page}" for page in ("", "/board", "/pile", "/print", "/direct")),
    *(f"{EVENT}/rounds/11/links", f"{EVENT}/tables/r11t1", f"{EVENT}/tables/r11t1/grid"),
    *(f"{EVENT}/tables/r11t1/{page}" for page in ("seating", "link", "read-back", "hands/new")),
)


def make_demo() -> Cast:
    cast = demo_club()
    cast.users["mia"] = mia = User.objects.create_user("mia")
    Membership.objects.create(club=cast.riverside, user=mia, role="player")
    for name, player_id in (("piet", "RL06"), ("mia", "RL03")):
        link(Player.objects.get(club=cast.riverside, player_id=player_id), cast.users[name])
    worker_runs()
    return cast


demo_once, demo = made_once("demo", make_demo)


class Reader(Client):
    def __init__(self, user: User | None) -> None:
        super().__init__()
        self.n_pages, self.wrong = 0, list[str]()
        if user is not None:
            self.force_login(user)

    def request(self, **request: Any) -> Any:
        answer, path = super().request(**request), request["PATH_INFO"]
        if answer.status_code == 200 and "text/html" in answer["Content-Type"]:
            self.n_pages += 1
            buttons = filled_buttons(answer.content.decode(), path)
            if len(buttons) > 1 or any(button.is_destructive for button in buttons):
                labels = ", ".join(button.label for button in buttons)
                self.wrong.append(f"{path}: {labels}")
        return answer


@pytest.mark.parametrize("name", ROLES)
def test_page_of_the_demo_has_one_filled_button(demo: Cast, name: str) -> None:
    reader = Reader(demo.users.get(name))
    for _path in linked_pages(reader, ("/", CLUB, "/me"), of_a_route=1):
        pass
    assert reader.n_pages > 50
    assert not reader.wrong, "\n".join(reader.wrong)


def states_of_an_evening(league: Event) -> Iterator[str]:
    op = by_tests(timezone.now())
    meeting, people = evening(league, 12, on=timezone.localdate())
    check_in(meeting, people[:3], state="expected")
    yield "planned"
    check_in(meeting, people)
    yield "everybody is here"
    plan, *_others = plans(meeting, 2)
    yield "plans"
    choose_plan(op, plan)
    yield "chosen plan"
    round_: Round = make_round_of_plan(op, plan)
    assert round_.number == 11
    yield "draft"
    move_round(op, round_, to="posted")
    yield "posted"
    make_links(op, round_, hours=6)
    yield "links"
    games = Game.objects.filter(table__round=round_).select_related("event", "table")
    for game in games:
        hand(game, 1, [4, 1, 2, 6], 3)
        yield "playing"
    games.update(state="complete")
    yield "complete"
    round_.refresh_from_db()
    move_round(op, round_, to="closed")
    yield "closed"


def test_page_of_an_evening_has_one_filled_button_in_each_state(demo: Cast) -> None:
    league = Event.objects.select_related("club").get(club=demo.riverside, slug="league")
    n_pages, wrong, day = Counter[str](), [], timezone.localdate()
    for state in states_of_an_evening(league):
        for name in AT_THE_EVENING:
            reader = Reader(demo.users.get(name))
            for page in PAGES:
                reader.get(page.format(day=day))
            n_pages[state] += reader.n_pages
            wrong += [f"{state}, {name}: {each}" for each in reader.wrong]
    assert min(n_pages.values()) > 25
    assert not wrong, "\n".join(wrong)


def test_page_of_an_import_has_one_filled_button_in_each_state(demo: Cast, tmp_path: Path) -> None:
    dirk = Reader(demo.users["dirk"])
    with written(tmp_path, rows()).open("rb") as file:
        at = dirk.post(f"{EVENT}/imports/new", {"file": file})["Location"]
    for send in ("", "/confirm", "/undo"):
        if send:
            dirk.post(f"{at}{send}")
        dirk.get(at)
        dirk.get(f"{at}/undo")
    assert dirk.n_pages == 4
    assert not dirk.wrong, "\n".join(dirk.wrong)


def test_destructive_words_are_those_of_operations() -> None:
    of_pages = {"abandon", "cancel", "disable", "unmerge"}  # values of a form's field
    assert {name.partition("_")[0] for name in OPERATIONS} >= DESTRUCTIVE - of_pages


@pytest.mark.parametrize(
    ("label", "is_destructive"), [("Delete hand", True), ("Go on", True), ("Restore hand", False)]
)
def test_button_is_destructive_by_label_or_operation(label: str, is_destructive: bool) -> None:
    void = f"{EVENT}/tables/r1t1/hands/1/void"
    page = f'<form action="{void}"><button class="btn pri">{label}</button></form>'
    assert [button.is_destructive for button in filled_buttons(page, CLUB)] == [is_destructive]
