"""A duplicate night of twelve boards at three tables, from the first account to the standings.

The set-up link makes the account; club, people, event, boards, plan and seats come from the
product's pages. A phone enters the first hands, REST the others; the results of every board and the
standings are those of plain arithmetic.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.support.answers import Json, post_json, send_json
from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import TESTS, counts
from tests.support.pages.new_club import CLUB, create_event, make_club
from tests.support.scenarios.duplicate_nights import hearts_of, scores_of
from tests.support.walks import Walks, elsewhere
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Round, Sitting
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = tuple(f"{name} N." for name in (
    "Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lena",
))  # fmt: skip
EVENT = f"{CLUB}/events/duplicate-night"
E = f"/api/v1{EVENT}"
TABLES = (1, 2, 3)


def test_twelve_boards_at_three_tables_from_the_account_to_the_standings(
    setup: str, walks: Walks
) -> None:
    walk = walks(DESK)
    page = walk.page
    day = timezone.localdate().isoformat()
    make_club(walk, setup, NAMES)
    create_event(walk, "Duplicate night", "Duplicate", day)
    make_boards(walk)
    print_deals(page)
    elsewhere(lambda: check_everybody_in(day))
    page.goto(f"{EVENT}/meetings/{day}/plans")
    page.get_by_label("Number of rounds").fill("3")
    press(page, "Create plans")
    press(page, "Choose plan A")
    phone = walks(PHONE)
    phone.page.context.add_cookies(page.context.cookies())  # type: ignore[arg-type]  # as they came
    for number in (1, 2, 3):
        page.goto(f"{EVENT}/meetings/{day}/seating")
        press(page, f"Seat round {number}")
        press(page, f"Post round {number}")
        by_phone = [1, 2] if number == 1 else []
        if by_phone:
            enter_on_the_phone(phone)
        elsewhere(partial(enter_over_rest, number, by_phone))
        page.goto(f"{EVENT}/boards")
        expect(page.get_by_text("Shown", exact=True)).to_have_count(4 * number)
        expect(page.get_by_text("Secret", exact=True)).to_have_count(12 - 4 * number)
        elsewhere(partial(close_round, number))
    walk.look()
    sat = elsewhere(seating)
    for board in range(1, 13):
        check_board(page, board, sat)
    walk.look()
    elsewhere(lambda: publish(Event.objects.get().pk, now=timezone.now()))
    check_standings(page, elsewhere(published), sat)
    assert (walk.wrong, phone.wrong) == ([], [])


def press(page: Page, name: str) -> None:
    """Press a button of a page that other journeys judge."""
    button = page.get_by_role("main").get_by_role("button", name=name, exact=True)
    with page.expect_navigation():
        button.click()


def make_boards(walk: Walk) -> None:
    """Deal twelve boards from a seed, four in each round."""
    page = walk.page
    page.goto(f"{EVENT}/boards")
    walk.follow("Create boards")
    page.get_by_label("Number of boards").fill("12")
    page.get_by_label("Boards in each round").first.fill("4")
    walk.press("Deal boards")
    expect(page.get_by_text("12 boards created.")).to_be_visible()
    expect(page.get_by_text("Secret", exact=True)).to_have_count(12)


def print_deals(page: Page) -> None:
    """Print the cards to deal them; the page of boards says so from then on."""
    page.get_by_role("link", name="Deals before play").click()
    button = page.get_by_role("button", name="Print deals")
    expect(button).to_be_visible()
    fields = page.locator("form input[type=hidden]")
    sent = {str(one.get_attribute("name")): one.input_value() for one in fields.all()}
    answer = page.request.post(
        f"{EVENT}/boards/deals", form={**sent, "go": "print"}, headers={"Referer": page.url}
    )
    assert answer.body()[:4] == b"%PDF"
    page.goto(f"{EVENT}/boards")
    expect(page.get_by_text(re.compile("Printed by .* before play,"))).to_be_visible()


def director() -> Client:
    client = Client()
    client.force_login(User.objects.get())
    return client


def check_everybody_in(day: str) -> None:
    """Everybody is here, as a program says it."""
    for player in Player.objects.values_list("player_id", flat=True):
        at = f"{E}/meetings/{day}/attendance/{player}"
        answer = send_json(director(), "PUT", at, {"state": "here"})
        assert answer.status_code == 200, answer.content


def board_of(number: int, table: int, hand: int) -> int:
    """Which board a table plays as its n-th hand of a round: each begins with another one."""
    return 4 * number - 3 + (hand - 2 + table) % 4


def fill_in(page: Page, board: int) -> None:
    """Fill in what table 1 made of a board in round 1."""
    hearts, queen = hearts_of(1, 1, board)
    page.get_by_label("Board", exact=True).fill(str(board))
    for seat, count in enumerate(hearts, start=1):
        page.locator(f"[name=hearts-{seat}]").fill(str(count))
    page.locator(f"[name=card-QS][value='{queen + 1}']").check(force=True)


def enter_on_the_phone(phone: Walk) -> None:
    """Enter two hands of table 1 as the host types them, the second one without a signal.

    The form offers the first board of the round that the table has not played.
    """
    page = phone.page
    board = page.get_by_label("Board", exact=True)
    save = page.locator(".desk-form .acts .pri")
    page.goto(f"{EVENT}/tables/r1t1/hands/new")
    expect(board).to_have_value("1")
    fill_in(page, board_of(1, 1, 1))
    phone.press("Save hand 1")
    expect(page.get_by_text("Hand 1 saved.")).to_be_visible()
    expect(board).to_have_value("2")
    page.context.set_offline(True)
    fill_in(page, board_of(1, 1, 2))
    save.click()
    expect(save).to_contain_text("hand 3")
    expect(board).to_have_value("3")
    page.context.set_offline(False)
    expect(page.locator(".badge", has_text="All sent")).to_be_visible()
    page.close()  # which would ask for its table again while hands are entered over REST


def enter_over_rest(number: int, done: list[int]) -> None:
    client = director()
    for table in TABLES:
        for hand in range(1, 5):
            if table == 1 and hand in done:
                continue
            board = board_of(number, table, hand)
            hearts, queen = hearts_of(number, table, board)
            is_moon = hearts[queen] == 13
            entry = counts(hearts, queen, **({"slam_choice": "others"} if is_moon else {}))
            body = {"number": hand, "board": board, "entry": entry}
            answer = post_json(client, f"{E}/tables/r{number}t{table}/hands", body)
            assert answer.status_code == 201, answer.content


def close_round(number: int) -> None:
    round_ = Round.objects.get(number=number)
    close_tables(actor=TESTS, round_=round_, now=timezone.now())
    answer = post_json(director(), f"{E}/rounds/{number}/state", {"to": "closed"})
    assert answer.status_code == 200, answer.content


Seating = Mapping[tuple[int, int], Mapping[int, str]]
"""Round and table → the name in each seat."""


def seating() -> Seating:
    found: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)
    rows = Sitting.objects.values_list(
        "round__number", "seat__table__number", "seat__number", "player__name"
    )
    for number, table, seat, name in rows:
        found[number, table][seat] = name
    return found


def results_of(board: int, sat: Seating) -> list[tuple[str, int, Fraction, Fraction]]:
    """Name, points, matchpoints and datum of everybody on a board: each against the two others."""
    number = (board + 3) // 4
    scores = {table: scores_of(number, table, board) for table in TABLES}
    found = []
    for table in TABLES:
        for line, own in enumerate(scores[table]):
            others = [scores[one][line] for one in TABLES if one != table]
            beaten = sum(
                (Fraction((one > own) * 2 + (one == own), 2) for one in others), Fraction()
            )
            datum = Fraction(sum(others), 2) - own
            found.append((sat[number, table][line + 1], own, beaten, datum))
    return found


def check_board(page: Page, board: int, sat: Seating) -> None:
    """The page of a board has the result of every table, as computed by hand."""
    page.goto(f"{EVENT}/boards/{board}")
    rows = page.get_by_role("table", name="Results").locator("tbody tr")
    expect(rows).to_have_count(12)
    cells = [row.split("\t") for row in rows.evaluate_all(
        "rows => rows.map(row => [...row.cells].map(one => one.innerText.trim()).join('\\t'))"
    )]  # fmt: skip
    expected = [
        (name, str(own), str(beaten), f"{float(beaten * 50):.4f}".rstrip("0").rstrip("."))
        for name, own, beaten, _ in results_of(board, sat)
    ]
    seen = [(c[2], c[3], c[4], c[5].rstrip("0").rstrip(".") or "0") for c in cells]
    assert seen == [(n, o, b, p or "0") for n, o, b, p in expected]


def published() -> Json:
    found: Json = Client().get(f"{E}/standings").json()
    return found


def check_standings(page: Page, table: Json, sat: Seating) -> None:
    """The mean percentage of everybody over twelve boards, exactly, and the page in that order."""
    shares: dict[str, list[Fraction]] = defaultdict(list)
    for board in range(1, 13):
        for name, _, beaten, _ in results_of(board, sat):
            shares[name].append(beaten * 50)
    means = {name: sum(own, Fraction()) / len(own) for name, own in shares.items()}
    found = {row["player"]: Fraction(row["values"]["matchpoints"]) for row in table["rows"]}
    assert found == means
    page.goto(EVENT)
    names = page.locator("table.t").first.locator("tbody th").all_inner_texts()
    places = [means[next(one for one in NAMES if one in text)] for text in names]
    assert places == sorted(means.values(), reverse=True)
