"""Pages of tables, hands and rounds beside what REST says of them."""

from collections.abc import Mapping
from typing import Any

from django.test import Client

from scoring.rules.catalogue import catalogue
from tests.support.answers import Json
from tests.support.comparisons.event_world import World, in_figures, seats_shown, text
from tests.support.pages.html_tree import exact, rows, tree


def check_table(world: World) -> None:
    for code in world.codes:
        page = world.page(f"tables/{code}").first("table", "sheet")
        stored = world.every(f"tables/{code}/hands")
        if page is None:
            world.equal(f"sheet {code} hands", [], stored)
            continue
        lines = [list(row.all("div", "cell")) for row, _ in rows(page) if row.first("div", "cell")]
        world.equal(f"sheet {code} hands", len(lines), len(stored))
        for cells, hand in zip(lines, stored, strict=False):
            for cell, seat in zip(cells, seats_shown(hand["seats"], len(cells)), strict=True):
                where = f"sheet {code} hand {hand['number']} seat {seat['seat']}"
                world.same(f"{where} score", text(cell, "pts"), seat["score"])
                world.same(f"{where} total", text(cell, "run"), seat["total"])
        foot = page.first("tfoot")
        ends = list(foot.all("div", "cell")) if foot else []
        for cell, seat in zip(ends, seats_shown(world.finishes(code), len(ends)), strict=True):
            where = f"sheet {code} end seat {seat['seat']}"
            world.same(f"{where} total", text(cell, "pts"), seat["total"])
            world.equal(f"{where} place", in_figures(text(cell, "run")), seat["place"])


def check_hand(world: World) -> None:
    for code, hand in world.hands:
        table = world.page(f"tables/{code}/hands/{hand['number']}").first("table", "t")
        lines = rows(table) if table else []
        for (_, cells), seat in zip(lines, seats_shown(hand["seats"], len(lines)), strict=True):
            where = f"hand {code} {hand['number']} seat {seat['seat']}"
            world.same(f"{where} score", cells[-2].text, seat["score"])
            world.same(f"{where} total", cells[-1].text, seat["total"])


def check_round(world: World) -> None:
    for n in world.rounds:
        told = world.rest(f"rounds/{n}")
        cards = list(world.page(f"rounds/{n}", by=Client()).all("section", "game"))  # a visitor
        world.equal(f"round {n} tables", len(cards), len(told["tables"]))
        for card, table in zip(cards, told["tables"], strict=False):
            own = {result["player"]: result for result in table["results"]}
            keys = catalogue().rules(table["variant"], {}).keys
            pooled = keys.teams.mode == "pooled"
            is_real = keys.number == "real"  # complex points have no sum: none on either
            ends = {seat["player"]: seat for seat in world.finishes(table["code"])}
            start = start_of(world, table["code"])
            for _, cells in rows(card):
                name = cells[1].text.partition(" moon")[0].strip()
                name = next((one for one in own if name.startswith(one)), name)
                where = f"round {n} {table['code']} {name}"
                if name in own:
                    world.equal(f"{where} place", cells[0].text, own[name]["place"] or "–")
                    world.same(f"{where} points", cells[-1].text, own[name]["points"])
                if name in ends and table["hands"]:
                    total = side_total(ends, name, is_pooled=pooled) if is_real else None
                    won = None if total is None else str(exact(total) - start)
                    world.same(f"{where} total", cells[-1].text, won)
                    world.equal(f"{where} end", cells[0].text, ends[name]["place"] or "–")


def start_of(world: World, code: str) -> Any:
    """The total that everybody begins with: results count what was won since (chips of an ante)."""
    counted = [one for one in world.every(f"tables/{code}/hands") if one["state"] == "accepted"]
    seats = counted[0]["seats"] if counted else []
    if not seats or isinstance(seats[0]["total"], list):
        return 0
    return exact(seats[0]["total"]) - exact(seats[0]["score"])


def side_total(ends: Mapping[str, Json], name: str, *, is_pooled: bool) -> Any:
    """What somebody's side has at the end: of partners who have totals of their own their sum."""
    side = ends[name]["side"]
    if side is None:
        return ends[name]["total"]
    totals = [exact(seat["total"]) for seat in ends.values() if seat["side"] == side]
    return totals[0] if is_pooled else sum(totals)


def check_board(world: World) -> None:
    for n in world.rounds:
        for tile in world.page(f"rounds/{n}/board").all("section", "tile"):
            code = tile.attrs["id"]
            for line, seat in zip(tile.all("li"), world.finishes(code), strict=False):
                total = line.first("b")
                if total is not None:
                    world.same(f"board {code} seat {seat['seat']}", total.text, seat["total"])


def check_sheet_verification(world: World) -> None:
    for code in world.codes:
        page = world.page(f"tables/{code}/read-back")
        ends = page.first("dl", "ends")
        stored = world.every(f"tables/{code}/hands")
        if ends is None or not stored:
            continue
        shown = list(ends.all("div"))
        for one, seat in zip(shown, seats_shown(world.finishes(code), len(shown)), strict=True):
            where = f"sheet check {code} seat {seat['seat']}"
            total = one.first("b")
            world.same(f"{where} total", total.text if total else "", seat["total"])
            place = one.first("span", "muted")
            world.equal(f"{where} place", in_figures(place.text if place else ""), seat["place"])
        table = page.first("table", "t")
        lines = [row for row in rows(table) if row[1][0].tag == "th"] if table else []
        for (_, cells), hand in zip(lines, stored, strict=True):
            seats = seats_shown(hand["seats"], len(cells) - 1)
            for cell, seat in zip(cells[1:], seats, strict=True):
                where = f"sheet check {code} hand {hand['number']} seat {seat['seat']}"
                score = cell.first("b")
                world.same(where, score.text if score else "", seat["score"])


def check_grid(world: World) -> None:
    for code in world.codes:
        if 0 in world.rest(f"tables/{code}")["hands"]:
            continue  # totals have a page of their own
        foot = world.page(f"tables/{code}/grid").first("tfoot")
        sums = [one.text for one in foot.all("td", "foot-sum")] if foot else []
        if any(sums):
            for shown, seat in zip(sums, seats_shown(world.finishes(code), len(sums)), strict=True):
                world.same(f"grid {code} seat {seat['seat']}", shown, seat["total"])


def check_desk(world: World) -> None:
    for code in world.codes:
        if world.rest(f"tables/{code}")["state"] != "playing":
            continue
        answer = world.client.get(f"{world.base}/tables/{code}/hands/new")
        beside = tree(answer.content.decode()).first("div", "beside")
        table = beside.first("table") if beside else None
        stored = world.every(f"tables/{code}/hands")
        if table is None or not stored:
            continue
        lines = rows(table)
        for (_, cells), seat in zip(
            lines, seats_shown(stored[-1]["seats"], len(lines)), strict=True
        ):
            where = f"host {code} seat {seat['seat']}"
            world.same(f"{where} score", cells[-2].text, seat["score"])
            world.same(f"{where} total", cells[-1].text, seat["total"])


def check_totals(world: World) -> None:
    for code in world.codes:
        stored = world.every(f"tables/{code}/hands")
        if [one["number"] for one in stored] != [0] or stored[0]["state"] != "accepted":
            continue
        page = world.page(f"tables/{code}/totals")
        for seat in stored[0]["seats"]:
            box = next(
                (
                    one
                    for one in page.all("input")
                    if one.attrs.get("name") == f"points-{seat['seat']}"
                ),
                None,
            )
            if box is not None:
                where = f"totals {code} seat {seat['seat']}"
                world.same(where, box.attrs.get("value", ""), seat["score"])
