"""Every variant, with its least and its greatest number of players, through every way in.

The engine says which boxes its sheet has; the host's page asks them, a file has them as columns,
REST lists them and takes the entry. The scores are those of the engine each time.
"""

import csv
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from django.test import Client

from scoring.cases import answer
from scoring.engine.melds import trick_points
from scoring.entry.codec import same_entry
from scoring.entry.hand_reader import read_entry, unit_sides
from scoring.entry.sheet import Box, boxes, seat_names
from scoring.game.game import new_game
from scoring.numbers import score_json
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.builders import by_tests, players, table
from tests.support.cast import Cast
from tests.support.comparisons.formulas import formulas
from tests.support.imports.imports import imported, said
from tests.support.lengths import short_or_long
from tests.support.scoring.random_hands import Dealt, dealt_at, settled
from tournaments.documents.sheet_files import sheet_lines
from tournaments.models.clubs import Player
from tournaments.models.columns import as_json
from tournaments.models.events import Event
from tournaments.models.hands import Entry, SeatScore
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.record_entry import record_entry
from tournaments.views.hands.hand_form_fields import fields_of, sheet_of

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

ASKING: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("hearts", {"sun": "double-except-first"}),
    ("hearts", {"sun": "punish"}),
    ("hearts", {"sun": "double", "pledge": True, "ten_of_clubs": "double"}),
    ("partnership-hearts-pooled", {"sun": "punish"}),
    ("cancellation-hearts", {"last_stalled": "uncounted"}),
)
"""Options whose rules ask for more than any variant as shipped."""

GAMES = [*((variant, {}) for variant in catalogue().ids), *ASKING]
BESIDE_POINTS = ("declared", "pledges", "unclaimed", "passer")
"""What points need beside them, because it changes them."""


@dataclass(frozen=True)
class Paper:
    rules: Rules
    options: Mapping[str, Any]
    seats: int
    entry: Json
    scores: list[Any]

    @property
    def way(self) -> str:
        return next((way for way in ("points", "clean") if way in self.entry), "counts")

    @property
    def name(self) -> str:
        return f"{self.rules.id} {dict(self.options)} {self.seats} {self.way}"


@cache
def papers() -> tuple[Paper, ...]:
    """A hand of each game for its greatest number of players, in every way that its sheet takes.

    In the long form also for the least, in one way.
    """
    return tuple(paper for variant, options in GAMES for paper in _papers(variant, options))


def _papers(variant: str, options: Mapping[str, object]) -> Iterator[Paper]:
    rules = catalogue().rules(variant, options)
    least, most = rules.keys.players
    for seats in short_or_long([most], sorted({least, most})):
        chance = random.Random(f"{variant} {seats}")  # noqa: S311 - deals cards, keeps no secret
        dealt = dealt_at(chance, rules, seats)
        for entry in islice(_ways(dealt), 1 if seats < most else None):
            case = {"variant": variant, "options": options, "seats": seats}
            found = answer(catalogue(), {**case, "hands": [{"entry": entry}]})
            assert "errors" not in found, (variant, entry, found["errors"])
            # A side's score is booked for each of its seats.
            sides = unit_sides(rules, seats, None)
            booked = {seat: found["hands"][0]["hand_scores"][unit]
                      for unit, side in enumerate(sides) for seat in side}  # fmt: skip
            yield Paper(rules, options, seats, entry, [booked[seat] for seat in range(seats)])


def _ways(dealt: Dealt) -> Iterator[dict[str, object]]:
    """The hand as counts (cards where the rules tell hearts apart), as points, and who is clean."""
    state = new_game(dealt.rules, dealt.seats)
    entry = dealt.counts if dealt.ready.short_form else dealt.entry
    if dealt.ready.keys.melds:
        entry = _in_trick_points(dealt)
    asked = {box.kind for box in boxes(dealt.rules, dealt.seats)}
    if "first_trick" not in asked:
        entry = {key: value for key, value in entry.items() if key != "first_trick_by"}
    hand = settled(dealt, entry, state)
    moon: dict[str, Any] = {}
    if hand.moon is not None:
        moon = {"shooter": hand.moon.by[0]}
        moon |= {"slam_choice": hand.moon.choice} if hand.moon.choice else {}
    yield entry | moon
    beside = {key: value for key, value in dealt.beside.items() if key in BESIDE_POINTS}
    yield beside | moon | {"points": [score_json(score) for score in hand.scores]}
    if dealt.ready.clean_form:
        yield {"clean": [not any(card in dealt.cards for card in pile) for pile in dealt.piles]}


def _in_trick_points(dealt: Dealt) -> Json:
    """The hand as its sheet has it: the points of the tricks instead of their cards."""
    typed = read_entry(dealt.entry, dealt.rules, dealt.seats)
    return {"melds": dealt.beside["melds"], "trick_points": list(trick_points(typed))}


EVENT = "/clubs/riverside/events"


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    most = max(paper.seats for paper in papers())
    return players(cast.riverside, *(f"Player {letter}." for letter in ascii_uppercase[:most]))


def league_of(cast: Cast, slug: str, variant: str = "hearts", **more: Any) -> Event:
    settings = {"length": "open", "primary": "beaten_mean", "tie_breaks": ()}
    event = create_event(
        by_tests(), cast.riverside, slug=slug, name=slug, variant=variant,
        settings=settings, **more,
    )  # fmt: skip
    return move_event(by_tests(), event, to="open")


def seated(event: Event, people: Sequence[Player]) -> list[tuple[Paper, str]]:
    found = []
    for number, paper in enumerate(papers(), start=1):
        game = table(
            event, people[: paper.seats], round_number=number, variant=paper.rules.id,
            options=paper.options,
        )  # fmt: skip
        found.append((paper, game.table.code))
    return found


def booked(event: Event) -> dict[str, list[object]]:
    found: dict[str, list[Any]] = {}
    scores = SeatScore.objects.filter(entry__hand__game__event=event, seat__table__event=event)
    rows = scores.order_by("seat__number").values_list("seat__table__code", "score", "score_im")
    for code, score, imaginary in rows:
        found.setdefault(code, []).append(as_json(score, imaginary))
    return found


def fields_on(page: str) -> set[str]:
    tags = re.findall(r"<(?:input|select)[^>]*>", page)
    return {
        name[1] for tag in tags
        if 'type="hidden"' not in tag and (name := re.search(r' name="([^"]*)"', tag))
    }  # fmt: skip


ASKED_LATER = {"shooter", "slam_choice", "first_trick_by"}
"""Asked once they matter; cards that nobody gets are written where cards are."""


def test_hosts_page_asks_what_sheets_ask(cast: Cast, people: list[Player], hanna: Client) -> None:
    event = league_of(cast, "league")
    sheets = seated(event, people)
    for paper, code in sheets:
        address = f"{EVENT}/league/tables/{code}/hands/new"
        sheet = sheet_of(paper.rules, paper.seats, unit_sides(paper.rules, paper.seats, None))
        fields = fields_of(sheet, paper.entry)
        page = hanna.post(address, {"number": 1, "go": f"way:{paper.way}"}).content.decode()
        open_ = {name for name, values in fields.items() if values} - ASKED_LATER
        if paper.way == "points":
            counted = {name for name in open_ if name.partition("-")[0] in ("hearts", "card")}
            open_ -= {name for name in counted if name != "hearts-0" and fields[name] != ["0"]}
        assert open_ <= fields_on(page), paper.name
        sent = {"number": 1, "way": paper.way, "go": "save", **fields}
        answer = hanna.post(address, sent)
        told = answer.context and answer.context["form"].problems
        assert answer.status_code == 302, (paper.name, paper.entry, told)
    scores = booked(event)
    for paper, code in sheets:
        assert scores[code] == paper.scores, paper.name


def test_rest_lists_the_boxes_and_takes_the_entry(cast: Cast, people: list[Player]) -> None:
    event = league_of(cast, "league")
    client = cast.client("hanna")
    sheets = seated(event, people)
    for paper, code in sheets:
        if not paper.options:
            address = f"/api/v1/variants/{paper.rules.id}/entry-schema?seats={paper.seats}"
            schema = client.get(address).json()
            lists = ("columns", "choices", "labels")
            listed = [{**asdict(box), **{key: list(getattr(box, key)) for key in lists}}
                      for box in boxes(paper.rules, paper.seats)]  # fmt: skip
            for box in listed:
                del box["is_required"]  # for pages: the refusal names what a hand needs
            assert schema["boxes"] == listed, paper.name
            sides = [[seat - 1 for seat in side] for side in schema["sides"]]
            assert sides == [list(side) for side in paper.rules.keys.teams.shape], paper.name
            units = sides if schema["pooled"] else range(paper.seats)
            assert len(units) == len(unit_sides(paper.rules, paper.seats, None)), paper.name
        body = {"number": 1, "entry": paper.entry}
        address = f"/api/v1{EVENT}/league/tables/{code}/hands"
        answer = client.post(address, body, content_type="application/json")
        assert answer.status_code == 201, (paper.name, answer.json())
        assert [seat["score"] for seat in answer.json()["seats"]] == paper.scores, paper.name
    assert len(booked(event)) == len(sheets)


def test_file_with_a_column_a_box_is_read(cast: Cast, people: list[Player], tmp_path: Path) -> None:
    for number, sheets in enumerate(by_event()):
        variant, options = sheets[0].rules.id, sheets[0].options
        event = league_of(cast, f"league{number}", variant, options=options)
        report = imported(written(tmp_path / f"{number}.csv", sheets, people), event=event.slug)
        assert said(report) == [], [problem.message for problem in report.problems]
        scores = booked(event)
        for round_, paper in enumerate(sheets, start=1):
            assert scores[f"r{round_}t1"] == paper.scores, paper.name
            entry = Entry.objects.get(
                hand__game__table__code=f"r{round_}t1", hand__game__event=event
            )
            assert same_entry(entry.typed, paper.entry), (paper.name, entry.typed, paper.entry)


def by_event() -> list[list[Paper]]:
    """All hands of variants as they are in one event, those of a club's options in one each.

    What a club changed is a setting of the event; a file names the variant only.
    """
    found: dict[str, list[Paper]] = {}
    for paper in papers():
        own = f"{paper.rules.id} {dict(paper.options)}" if paper.options else ""
        found.setdefault(own, []).append(paper)
    return list(found.values())


def written(path: Path, sheets: Sequence[Paper], people: Sequence[Player]) -> Path:
    """A file of these hands, made of nothing but the boxes of their sheets."""
    heads = ["round", "table", "variant", "hand", "seat", "player_id"]
    rows = []
    for round_, paper in enumerate(sheets, start=1):
        own = boxes(paper.rules, paper.seats)
        heads += [box.key for box in own if box.key not in heads]
        for seat, name in enumerate(seat_names(paper.seats)):
            row = {"round": round_, "table": 1, "variant": paper.rules.id, "hand": 1}
            row |= {"seat": name, "player_id": people[seat].player_id}
            rows.append(row | {box.key: cell(box, paper, seat) for box in own})
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, heads, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def cell(box: Box, paper: Paper, seat: int) -> object:
    sides = unit_sides(paper.rules, paper.seats, None)
    unit = next(unit for unit, side in enumerate(sides) if seat in side)
    return WRITTEN[box.kind](paper.entry, box, seat, unit)


def _of_seat(entry: Json, box: Box, seat: int, unit: int) -> object:
    key = {"pledge": "pledges"}.get(box.kind, box.kind)
    return entry[key][seat] if key in entry else ""


def _of_card(entry: Json, box: Box, seat: int, unit: int) -> object:
    return entry["taken"][seat].count(box.card) if "taken" in entry else ""


def _of_unit(entry: Json, box: Box, seat: int, unit: int) -> object:
    """Points, or whether nothing was taken: partners who pool write the same."""
    value = entry[box.kind][unit] if box.kind in entry else ""
    if isinstance(value, bool):
        return int(value)
    return f"{value[0]}{value[1]:+}i" if isinstance(value, list) else value


def _of_hand(entry: Json, box: Box, seat: int, unit: int) -> object:
    """Cards that concern nobody's pile stand in the first row."""
    key = {"charged": "declared"}.get(box.kind, box.kind)
    return " ".join(entry.get(key, ())) if seat == 0 else ""


def _of_mark(entry: Json, box: Box, seat: int, unit: int) -> object:
    key = {"first_trick": "first_trick_by", "moon": "shooter"}.get(box.kind, box.kind)
    if entry.get(key) != seat:
        return ""
    return entry.get("slam_choice", "x") if box.kind == "moon" else "x"


def _of_melds(entry: Json, box: Box, seat: int, unit: int) -> object:
    return " ".join(entry["melds"][seat]) if "melds" in entry else ""


WRITTEN = {
    "hearts": _of_seat, "card": _of_card, "cards": lambda *_: "", "clean": _of_unit,
    "tricks": _of_seat, "charged": _of_hand, "pledge": _of_seat, "moon": _of_mark,
    "first_trick": _of_mark, "passer": _of_mark, "unclaimed": _of_hand, "points": _of_unit,
    "melds": _of_melds, "trick_points": _of_seat, "last_trick": _of_mark, "declared_out": _of_mark,
}  # fmt: skip
"""Kind of a box → what stands in it; a kind that is not here fails every test of this file."""


def exported(event: Event, path: Path) -> Path:
    path.write_bytes("".join(sheet_lines(event)).encode())
    return path


def record(event: Event, sheets: Sequence[Paper], people: Sequence[Player]) -> None:
    for number, paper in enumerate(sheets, start=1):
        game = table(
            event, people[: paper.seats], round_number=number, variant=paper.rules.id,
            options=paper.options,
        )  # fmt: skip
        record_entry(by_tests(), game, number=1, entry=paper.entry, source="host")


def revisions(event: Event) -> list[tuple[object, ...]]:
    entries = Entry.objects.filter(hand__game__event=event).order_by("pk")
    return list(entries.values_list("pk", "revision", "typed"))


def test_export_of_every_variant_comes_back_and_adds_nothing(
    cast: Cast, people: list[Player], tmp_path: Path
) -> None:
    """Into the event it came from; into another one it brings the same entries and scores."""
    Player.objects.filter(pk=people[0].pk).update(name="=SUM(A1:A9)", public_name="=SUM(A1:A9)")
    for number, sheets in enumerate(by_event()):
        variant, options = sheets[0].rules.id, sheets[0].options
        event = league_of(cast, f"league{number}", variant, options=options)
        record(event, sheets, people)
        before = revisions(event)
        path = exported(event, tmp_path / f"{number}.csv")
        assert formulas(path.read_bytes()) == []
        report = imported(path, event=event.slug)
        assert (report.hands, report.accepted, report.added) == (len(sheets), len(sheets), 0)
        assert {code for code, _, _ in said(report)} <= {"apostrophe"}
        assert revisions(event) == before
        other = league_of(cast, f"other{number}", variant, options=options)
        report = imported(path, event=other.slug)
        assert (report.accepted, report.added) == (len(sheets), len(sheets))
        assert booked(other) == booked(event)
        assert exported(other, tmp_path / "again.csv").read_bytes() == path.read_bytes()


SPELT: Sequence[Mapping[str, Any]] = [
    {"taken": [["TH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "JH", "QH"], ["QS"], ["AH"],
               ["KH", "2C"]], "kitty": [], "declared": None},
    {"points": [26, 26, 26, 0], "slam_choice": None},
    {"hearts": [0, 0, 0, 13], "taken": [[], [], [], ["QS"]], "slam_choice": "self"},
    {"hearts": [0, 0, 0, 13], "taken": [[], [], [], ["QS"]], "slam_choice": "others", "shooter": 3},
    {"points": [3, 3, 3, 17], "taken": [["2H", "3H", "4H"], ["5H", "6H", "7H"], ["8H", "9H", "10H"],
                                        ["JH", "QH", "KH", "AH", "QS"]]},
]  # fmt: skip
"""Entries as a program may write them, which no form would."""


def test_entries_in_a_spelling_of_their_own_come_back_too(
    cast: Cast, people: list[Player], tmp_path: Path
) -> None:
    event = league_of(cast, "league")
    game = table(event, people[:4])
    for number, entry in enumerate(SPELT, start=1):
        record_entry(by_tests(), game, number=number, entry=entry, source="api")
    report = imported(exported(event, tmp_path / "night.csv"))
    assert (report.accepted, report.added) == (len(SPELT), 0)
    changed = (tmp_path / "night.csv").read_text().replace("self", "others", 1)
    (tmp_path / "changed.csv").write_text(changed)
    report = imported(tmp_path / "changed.csv")
    assert [(code, kind) for code, kind, _ in said(report)] == [("hand_exists", "ask")]
