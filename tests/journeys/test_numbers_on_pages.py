"""Every page with a total or a place says what REST says (issue 15, A4).

The demo's events and small events at random are compared page by page. The list of pages is that
of the addresses: a new page is checked here, or is named among those without a total or a place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from scoring.catalogue import catalogue
from tests.builders import TESTS
from tests.cast import NOW, Cast, enter_the_cast
from tests.lengths import short_or_long
from tests.printed import Node, exact, heads, is_close, number, rows, tree
from tests.small_events import people_of, small_event
from tournaments.management.demo_events import bring_events
from tournaments.publishing import publications
from tournaments.publishing.companions import make_all
from tournaments.publishing.ladders import publish_ladder
from tournaments.publishing.seasons import publish_season
from tournaments.services.seasons import make_season, put_event

pytestmark = [pytest.mark.django_db, pytest.mark.once]

SEEDS = range(short_or_long(4, 20))
MOST = short_or_long(12, 60)
"""Rounds, tables, entrants and publications of one event that are looked at."""


def some(things: list[Any], most: int = MOST) -> list[Any]:
    """So many of the things, spread over all of them."""
    step = -(-len(things) // most)
    return things[:: max(step, 1)]


@dataclass
class World:
    """An event as its pages and REST give it to a director."""

    client: Client
    club: str
    event: str
    season: str = ""
    is_ladder: bool = False
    differences: list[str] = field(default_factory=list)
    compared: int = 0
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"/clubs/{self.club}/events/{self.event}"

    def rest(self, path: str) -> Any:
        """What REST says at an address below the event; "" is asked of once only."""
        if path not in self.kept:
            start = "" if path.startswith("/") else f"{self.base}/"
            answer = self.client.get(f"/api/v1{start}{path}")
            assert answer.status_code == 200, (path, answer.content[:300])
            self.kept[path] = answer.json()
        return self.kept[path]

    def every(self, path: str) -> list[Any]:
        """All rows of a list of REST."""
        found = self.rest(path)
        listed = list(found["results"])
        while found["next"]:
            found = self.client.get(found["next"]).json()
            listed += found["results"]
        return listed

    def page(self, path: str, status: int = 200) -> Node:
        start = "" if path.startswith("/") else f"{self.base}/"
        answer = self.client.get(f"{start}{path}".rstrip("/"))
        assert answer.status_code == status, (path, answer.status_code)
        return tree(answer.content.decode())

    def same(self, where: str, printed: str, there: Any) -> None:
        """Note a printed number that is not what REST has."""
        self.compared += 1
        if not is_close(printed, there):
            self.differences.append(f"{self.event} {where}: page {printed!r}, REST {there!r}")

    def equal(self, where: str, printed: Any, there: Any) -> None:
        self.compared += 1
        if printed != there:
            self.differences.append(f"{self.event} {where}: page {printed!r}, REST {there!r}")

    @property
    def codes(self) -> list[str]:
        return some(
            [one["code"] for n in self.rounds for one in self.rest(f"rounds/{n}")["tables"]]
        )

    @property
    def rounds(self) -> list[int]:
        return some([one["number"] for one in self.every("rounds")])

    @property
    def hands(self) -> list[tuple[str, Any]]:
        every = [(code, one) for code in self.codes for one in self.every(f"tables/{code}/hands")]
        return some(every, 2 * MOST)

    def finishes(self, code: str) -> list[Any]:
        return list(self.rest(f"tables/{code}")["seats"])


def place_of(row: Mapping[str, Any]) -> str:
    """A place of REST as it is printed: `3=` for those who share it."""
    if row["rank"] is None:
        return "–"
    return f"{row['rank']}{'=' if row['tied'] else ''}"


def standings(world: World, where: str, page: Node, body: Mapping[str, Any]) -> None:
    """Place, and every column that REST names, of every row of a table of standings."""
    own = {row["player_id"]: row for row in [*body["rows"], *body["provisional_rows"]]}
    titles = {one[key]: one["key"] for one in body["columns"] for key in ("title", "short")}
    titles |= {"Points": "points", "Hands": "hands", "Tables": "tables", "Moons": "moons"}
    found = 0
    for table in page.all("table", "standings"):
        columns = heads(table)
        for row, cells in rows(table):
            there = own.get(row.attrs.get("id", ""))
            if there is None:
                continue
            found += 1
            name = f"{where} {there['player_id']}"
            world.equal(f"{name} place", cells[0].text, place_of(there))
            for head, cell in zip(columns, cells, strict=False):
                key = titles.get(head)
                if key in there and key not in ("player", "player_id", "rank"):
                    world.same(f"{name} {key}", cell.text, there[key])
                if "key" in cell.css:
                    primary = body["scheme"]["primary"]
                    world.same(f"{name} {primary}", cell.text, there["values"][primary])
    world.equal(f"{where} rows", found > 0, bool(own))


def check_standings(world: World) -> None:
    body = world.rest("standings")
    standings(world, "event", world.page(""), body)


def check_projector(world: World) -> None:
    standings(world, "projector", world.page("projector?page=1"), world.rest("standings"))


def check_publication(world: World) -> None:
    for one in some(world.every("publications")):
        n = one["number"]
        standings(
            world,
            f"publication {n}",
            world.page(f"publications/{n}"),
            world.rest(f"publications/{n}"),
        )


def check_as_of(world: World) -> None:
    for one in some(world.rest("history")["rounds"], 4):
        n = one["round"]
        body = world.rest(f"standings?round={n}")
        standings(world, f"as of {n}", world.page(f"standings?round={n}"), body)


def check_difference(world: World) -> None:
    numbers = sorted(one["number"] for one in world.every("publications"))
    for older, newer in pairwise(numbers):
        told = world.rest(f"publications/{older}/difference/{newer}")
        page = world.page(f"publications/{older}/difference/{newer}")
        was, now = (world.rest(f"publications/{n}") for n in (older, newer))
        own = {one["player"]: one for key in ("moved", "changed") for one in told.get(key, ())}
        ranks = {row["player"]: (place_of(row), row) for row in now["rows"]}
        before = {row["player"]: place_of(row) for row in was["rows"]}
        for table in page.all("table", "t"):
            for _, cells in rows(table):
                name = cells[0].text
                if name not in own:
                    continue
                where = f"difference {older} {newer} {name}"
                if len(cells) > 4:
                    world.equal(f"{where} was", cells[1].text, before.get(name, "–"))
                    world.equal(f"{where} is", cells[2].text, ranks[name][0])
                primary = now["scheme"]["primary"]
                world.same(f"{where} value", cells[-1].text, ranks[name][1]["values"][primary])


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
        finishes = seats_shown(world.finishes(code), len(ends))
        for cell, seat in zip(ends, finishes, strict=True):
            where = f"sheet {code} end seat {seat['seat']}"
            world.same(f"{where} total", text(cell, "pts"), seat["total"])
            world.equal(f"{where} place", in_figures(text(cell, "run")), seat["place"])


def seats_shown(seats: list[Any], columns: int) -> list[Any]:
    """The seats that a sheet has columns for: all, or the first of each side."""
    if len(seats) == columns:
        return seats
    firsts = {seat["side"]: seat for seat in reversed(seats)}
    return sorted(firsts.values(), key=lambda seat: seat["seat"])


def text(node: Node, css: str) -> str:
    found = node.first("", css)
    return found.text if found else ""


def in_figures(place: str) -> str:
    """A place without what makes it an ordinal: `2nd=` is `2=`."""
    return "".join(letter for letter in place if letter in "0123456789=")


def check_hand(world: World) -> None:
    for code, hand in world.hands:
        page = world.page(f"tables/{code}/hands/{hand['number']}")
        table = page.first("table", "t")
        lines = rows(table) if table else []
        shown = seats_shown(hand["seats"], len(lines))
        for (_, cells), seat in zip(lines, shown, strict=True):
            where = f"hand {code} {hand['number']} seat {seat['seat']}"
            world.same(f"{where} score", cells[-2].text, seat["score"])
            world.same(f"{where} total", cells[-1].text, seat["total"])


def check_round(world: World) -> None:
    for n in world.rounds:
        told = world.rest(f"rounds/{n}")
        cards = list(world.page(f"rounds/{n}").all("section", "game"))
        world.equal(f"round {n} tables", len(cards), len(told["tables"]))
        for card, table in zip(cards, told["tables"], strict=False):
            own = {one["player"]: one for one in table["results"]}
            keys = catalogue().rules(table["variant"], {}).keys
            pooled = keys.teams.mode == "pooled"
            # In results chips count from 0, and complex points have no sum.
            has_sums = keys.number == "real" and keys.settle is None
            ends = {seat["player"]: seat for seat in world.finishes(table["code"])}
            lines = rows(card)
            for _, cells in lines:
                name = cells[1].text.partition(" moon")[0].strip()
                name = next((one for one in own if name.startswith(one)), name)
                where = f"round {n} {table['code']} {name}"
                if name in own:
                    world.equal(f"{where} place", cells[0].text, own[name]["place"] or "–")
                    world.same(f"{where} points", cells[-1].text, own[name]["points"])
                if name in ends and table["hands"]:
                    if has_sums:
                        total = side_total(ends, name, is_pooled=pooled)
                        world.same(f"{where} total", cells[-1].text, total)
                    world.equal(f"{where} end", cells[0].text, ends[name]["place"] or "–")


def side_total(ends: Mapping[str, Any], name: str, *, is_pooled: bool) -> Any:
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


def check_read_back(world: World) -> None:
    for code in world.codes:
        page = world.page(f"tables/{code}/read-back")
        ends = page.first("dl", "ends")
        stored = world.every(f"tables/{code}/hands")
        if ends is None or not stored:
            continue
        shown = list(ends.all("div"))
        for one, seat in zip(shown, seats_shown(world.finishes(code), len(shown)), strict=True):
            where = f"read back {code} seat {seat['seat']}"
            total = one.first("b")
            world.same(f"{where} total", total.text if total else "", seat["total"])
            place = one.first("span", "muted")
            world.equal(f"{where} place", in_figures(place.text if place else ""), seat["place"])
        table = page.first("table", "t")
        lines = [one for one in rows(table) if one[1][0].tag == "th"] if table else []
        for (_, cells), hand in zip(lines, stored, strict=True):
            seats = seats_shown(hand["seats"], len(cells) - 1)
            for cell, seat in zip(cells[1:], seats, strict=True):
                where = f"read back {code} hand {hand['number']} seat {seat['seat']}"
                score = cell.first("b")
                world.same(where, score.text if score else "", seat["score"])


def check_grid(world: World) -> None:
    for code in world.codes:
        stored = world.every(f"tables/{code}/hands")
        if 0 in world.rest(f"tables/{code}")["hands"] or any(one["moon"] for one in stored):
            continue  # totals have a page of their own; moons are left out of the foot
        foot = world.page(f"tables/{code}/grid").first("tfoot")
        sums = [one.text for one in foot.all("td", "foot-sum")] if foot else []
        if any(sums):
            for shown, seat in zip(sums, seats_shown(world.finishes(code), len(sums)), strict=True):
                world.same(f"grid {code} seat {seat['seat']}", shown, seat["total"])


def check_desk(world: World) -> None:
    """What the host sees of the last hand beside the next one."""
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


def check_entrant(world: World) -> None:
    body = world.rest("standings")
    for row in some([*body["rows"], *body["provisional_rows"]]):
        own, where = row["player_id"], f"entrant {row['player_id']}"
        page = world.page(f"players/{own}")
        stats = page.first("dl", "stats")
        told = {one.first("dt").text: one.first("dd") for one in stats.all("div")} if stats else {}  # type: ignore[union-attr]
        for head, there in (("Points", row["points"]), ("Tables won", row["wins"])):
            world.same(f"{where} {head}", _shown(told[head]), there)
        world.equal(f"{where} place", _shown(told["Place"]), place_of(row))
        table = next((one for one in page.all("table", "sticky")), None)
        if table is None:
            world.equal(f"{where} tables", 0, row["tables"])
            continue
        lines = rows(table)
        world.equal(f"{where} tables", len(lines), row["tables"])
        for _, cells in lines:
            code = next(iter(cells[2].all("a"))).attrs["href"].rsplit("/", 1)[1]
            results = world.rest(f"rounds/{world.rest(f'tables/{code}')['round']}")["tables"]
            there = {r["player_id"]: r for t in results if t["code"] == code for r in t["results"]}
            if own in there:
                world.same(f"{where} {code} points", cells[5].text, there[own]["points"])
                world.equal(f"{where} {code} place", cells[6].text, there[own]["place"])
        foot = table.first("tfoot")
        assert foot is not None
        sums = [one.text for one in foot.all("td")]
        world.same(f"{where} hands", sums[-4], row["hands"])
        world.same(f"{where} points", sums[-3], row["points"])
        world.same(f"{where} won", sums[-2].removeprefix("won "), row["wins"])
        world.same(f"{where} moons", sums[-1], row["moons"])


def _shown(node: Node | None) -> str:
    assert node is not None
    return Node(
        "", {}, [one for one in node.children if not isinstance(one, Node) or one.tag != "small"]
    ).text


def check_player(world: World) -> None:
    body = world.rest("standings")
    for row in some(body["rows"]):
        if "members" in row:
            continue
        page = world.page(f"/clubs/{world.club}/players/{row['player_id']}")
        for table in page.all("table", "fives"):
            for line, cells in rows(table):
                link = line.first("a")
                if link is None or f"/events/{world.event}/" not in link.attrs.get("href", ""):
                    continue
                where = f"player {row['player_id']}"
                world.same(f"{where} tables", cells[1].text, row["tables"])
                world.same(f"{where} won", cells[2].text, row["wins"])
                world.same(f"{where} moons", cells[3].text, row["moons"])
                world.same(f"{where} hands", cells[4].text, row["hands"])


def check_head_to_head(world: World) -> None:
    met = {(one["player_id"], one["opponent_id"]): one for one in world.every("head-to-head")}
    table = world.page("head-to-head").first("table", "matrix")
    if table is None:
        return
    codes = heads(table)[1:]
    shown = 0
    for row, cells in rows(table):
        code = row.first("span", "xs")
        assert code is not None
        for other, cell in zip(codes, cells[1:], strict=True):
            one = met.get((code.text, other))
            if one is not None:
                shown += 1
                won = exact(one["share"]) * one["games"]
                won_shown, _, games = cell.text.partition("/")
                where = f"head to head {code.text} {other}"
                world.same(f"{where} games", games, one["games"])
                world.equal(f"{where} won", number(won_shown.replace("½", ".5")), won)
            else:
                world.equal(f"head to head {code.text} {other}", cell.text.strip("·"), "")
    world.equal("head to head pairs", shown, len(met))


def check_club_records(world: World) -> None:
    """The most of anything is that of the event's own rows, where it is of this event."""
    page = world.page(f"/clubs/{world.club}/records")
    for table in page.all("table", "fives"):
        for row, cells in rows(table):
            key = cells[0].text.lower()
            for link in row.all("a"):
                href = link.attrs["href"]
                if f"/events/{world.event}/tables/" in href and "table" in key and "point" in key:
                    code = href.rsplit("/", 1)[1]
                    totals = [exact(seat["total"]) for seat in world.finishes(code)]
                    world.equal(f"record {key} {code}", number(cells[1].text) in totals, True)


def check_club(world: World) -> None:
    page = world.page(f"/clubs/{world.club}")
    body = world.rest("standings")
    own = {row["player"]: row for row in body["rows"]}
    for table in page.all("table", "t"):
        for row, cells in rows(table):
            link = row.first("a")
            if link is None or f"/events/{world.event}/players/" not in link.attrs.get("href", ""):
                continue
            there = own[cells[1].text]
            if heads(table)[1:] == ["Player", "Won"]:
                world.same(f"club {there['player_id']} won", cells[-1].text, there["wins"])
            elif row.first("td", "key"):
                world.equal(f"club {there['player_id']}", cells[0].text, place_of(there))
                key = next(iter(row.all("td", "key"))).text
                world.same(
                    f"club {there['player_id']} value",
                    key,
                    there["values"][body["scheme"]["primary"]],
                )


def check_season(world: World) -> None:
    if not world.season:
        return
    address = f"/clubs/{world.club}/seasons/{world.season}"
    body = world.rest(f"{address}/standings")
    standings(world, "season", world.page(address), body)
    number_ = body["publication"]["number"]
    standings(world, "season publication", world.page(f"{address}/publications/{number_}"), body)


def check_preview(world: World) -> None:
    """What a correction would change, before it is saved, on the page and over REST."""
    for code, hand in world.hands:
        if hand["number"] and hand["state"] == "accepted" and hand["revision"]:
            page = world.page(f"tables/{code}/hands/{hand['number']}/void")
            standing = {row["player"]: row for row in world.rest("standings")["rows"]}
            for table in page.all("table", "t"):
                for _, cells in rows(table):
                    there = standing.get(cells[0].text)
                    if there is not None and len(cells) >= 5:
                        where = f"preview {code} {hand['number']} {cells[0].text}"
                        world.equal(f"{where} place", cells[1].text, place_of(there))
                        primary = world.rest("standings")["scheme"]["primary"]
                        world.same(f"{where} value", cells[3].text, there["values"][primary])
            return


def check_ladder(world: World) -> None:
    """Positions, and the order of the ratings, where the event is a ladder."""
    if not world.is_ladder:
        return
    body = world.rest("ladder")
    own = {row["player_id"]: row for row in body["rows"]}
    for path in ("ladder", f"ladder/publications/{body['publication']['number']}"):
        shown = [
            (row.attrs["id"], cells)
            for table in world.page(path).all("table", "rung")
            for row, cells in rows(table)
        ]
        world.equal(f"{path} members", len(shown), len(own))
        for code, cells in shown:
            there = own[code]
            world.equal(f"{path} {code} place", cells[0].text, str(there["place"]))
            rating = cells[-1].text.removesuffix("?")
            world.same(f"{path} {code} rating", rating.strip(), there["rating_shown"])


def check_ratings(world: World) -> None:
    if not world.is_ladder:
        return
    own = {row["player"]: row for row in world.every("ratings")}
    for table in world.page("ratings").all("table", "fives"):
        for _, cells in rows(table):
            there = own.get(cells[1].text if len(cells) > 1 else "")
            if there is not None:
                where = f"ratings {there['player_id']}"
                world.equal(f"{where} rank", cells[0].text, str(there["rank"] or "?"))
                world.same(where, cells[2].text.removesuffix("?").strip(), there["rating_shown"])
                world.same(f"{where} games", cells[4].text, there["games"])


def check_ladder_member(world: World) -> None:
    if not world.is_ladder:
        return
    for row in world.rest("ladder")["rows"][:5]:
        stats = world.page(f"ladder/members/{row['player_id']}").first("dl", "stats")
        told = {one.first("dt").text: one.first("dd") for one in stats.all("div")} if stats else {}  # type: ignore[union-attr]
        where = f"member {row['player_id']}"
        world.equal(f"{where} place", _shown(told["Place"]), str(row["place"]))
        world.same(f"{where} games", _shown(told["Games"]), row["games"])
        if row["rating_shown"] is not None:
            rating = _shown(told["Rating"]).removesuffix("?").strip()
            world.same(f"{where} rating", rating, row["rating_shown"])


def check_what_if(world: World) -> None:
    if not world.is_ladder:
        return
    codes = [row["player_id"] for row in world.rest("ladder")["rows"][:4]]
    asked = "&".join(f"player={code}" for code in codes)
    there = {one["player"]: one for one in world.rest(f"ladder/what-if?{asked}")["players"]}
    for table in world.page(f"ladder/what-if?{asked}").all("table", "t"):
        for _, cells in rows(table):
            one = there[cells[0].text]
            world.same(f"what if {one['player_id']}", cells[1].text, one["rating_shown"])
            for cell, change in zip(cells[2:], one["changes"], strict=True):
                where = f"what if {one['player_id']} change"
                world.equal(where, abs(float(number(cell.text)) - float(change)) < 0.0501, True)


def check_playoffs(world: World) -> None:
    for one in world.every("playoffs"):
        told = world.rest(f"playoffs/{one['number']}")
        page = world.page(f"playoffs/{one['number']}")
        own = {member["player"]: member for member in told["members"]}
        for table in page.all("table", "t"):
            columns = heads(table)
            for _, cells in rows(table):
                if "Who" not in columns or len(cells) != len(columns):
                    continue
                there = own[cells[columns.index("Who")].text]
                where = f"play-off {one['number']} {there['player_id']}"
                if "Place" in columns:
                    world.same(f"{where} place", cells[0].text, there["place"])
                if "From 0" in columns:
                    world.same(f"{where} total", cells[-1].text, there["total"])


def check_csv(world: World) -> None:
    """The standings as a file of a page are those of REST, byte for byte."""
    page = world.client.get(f"{world.base}/standings.csv", follow=True)
    rest = world.client.get(f"/api/v1{world.base}/standings.csv")
    world.equal("standings.csv", page.content, rest.content)
    if world.season:
        address = f"/clubs/{world.club}/seasons/{world.season}/standings.csv"
        page = world.client.get(address, follow=True)
        rest = world.client.get(f"/api/v1{address}")
        world.equal("season.csv", page.content, rest.content)


CHECKED: Mapping[str, Callable[[World], None]] = {
    "event": check_standings, "projector": check_projector, "publication": check_publication,
    "standings": check_as_of, "difference": check_difference, "table": check_table,
    "hand": check_hand, "round": check_round, "board": check_board, "read-back": check_read_back,
    "grid": check_grid, "new-hand": check_desk, "totals": check_totals, "entrant": check_entrant,
    "player": check_player, "head-to-head": check_head_to_head, "club-records": check_club_records,
    "club": check_club, "season": check_season, "season-publication": check_season,
    "void-hand": check_preview, "ladder": check_ladder, "ladder-publication": check_ladder,
    "ratings": check_ratings, "ladder-member": check_ladder_member, "what-if": check_what_if,
    "playoff": check_playoffs, "standings-csv": check_csv, "season-csv": check_csv,
}  # fmt: skip
"""Page → what compares it with REST."""

ALIKE: Mapping[str, str] = {
    "edit-hand": "new-hand",
    "change-players": "void-hand", "dispute": "hand", "undo-hand": "void-hand",
    "places-chart": "standings", "ratings-chart": "ladder-member", "ladder-csv": "ladder",
    "entrance": "table", "change-settings": "event", "my-tables": "table",
    "direct-playoff": "playoff", "playoffs": "playoff", "second": "grid", "differences": "grid",
    "close-table": "table", "ladder-moves": "ladder", "challenge": "ladder",
    "challenges": "ladder", "stages": "event", "direct-stage": "event", "new-cut": "event",
}  # fmt: skip
"""Pages that print numbers of another page by the same view object or the same stored bytes."""

WITHOUT = frozenset({
    "clubs", "service-worker", "manifest", "on-this-phone", "theme", "open-link", "variants",
    "compare", "variant", "event-rules", "snapshot", "new-club", "players", "add-players",
    "added-players", "house-rules", "new-house-rules", "house-rule", "change-house-rules",
    "archive-house-rules", "house-difference", "house-version", "house-card",
    "house-version-file", "delete-house-version", "seasons", "new-season", "change-season",
    "new-event", "direct", "settings", "next-event", "use-version", "new-round", "direct-round",
    "new-table", "event-links", "round-links", "table-link", "table-seating", "changes",
    "publications", "ladder-rules", "change-ladder-rules", "new-challenge", "move-challenge",
    "challenge-result", "absences", "new-absence", "end-absence", "ledger", "new-line",
    "withdraw-line", "entrants", "new-entrant", "direct-entrant", "sit-outs", "disputes",
    "rule-on-dispute", "withdraw-dispute", "meetings", "imports", "sheets-csv", "upload",
    "import", "columns", "mappings", "mapping", "import-confirm", "import-discard", "problem",
    "import-undo", "undone-csv", "sheets-xlsx",
    "import-keep-mapping", "import-again", "pile", "table-rules", "photos", "photo",
    "remove-photo",
})  # fmt: skip
"""Pages without a total or a place: forms, lists of names, rules, logs, files of what was typed."""


def page_names() -> set[str]:
    """The names of all pages of the app."""
    resolver = get_resolver("tournaments.urls")
    return {str(name) for name in resolver.reverse_dict if isinstance(name, str)}


def test_every_page_is_compared_or_is_named_as_one_without_numbers() -> None:
    placed = [*CHECKED, *ALIKE, *WITHOUT]
    assert sorted(placed) == sorted(set(placed)), "a page has one place"
    assert page_names() <= set(placed), sorted(page_names() - set(placed))
    assert {*CHECKED, *ALIKE} <= page_names()
    assert set(ALIKE.values()) <= set(CHECKED)


def compare(world: World) -> None:
    """Compare all pages of an event; say every number that differs at once."""
    for check in dict.fromkeys(CHECKED.values()):
        check(world)
    assert world.differences == [], "\n".join(world.differences[:40])
    assert world.compared > 30, world.compared


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


@pytest.mark.parametrize("seed", SEEDS)
def test_pages_of_a_small_event_say_what_rest_says(cast: Cast, seed: int) -> None:
    made = small_event(cast, people_of(cast), seed)
    season = make_season(
        actor=TESTS, club=cast.riverside, name="Autumn", starts_on="2025-09-01",
        ends_on="2025-12-31", preset="places", now=NOW,
    )  # fmt: skip
    put_event(actor=TESTS, event=made.event, season=season, now=NOW)
    publications.publish(made.event.pk, now=NOW)
    make_all(made.event.pk)
    publish_season(season.pk, now=NOW)
    world = World(cast.client("dirk"), "riverside", made.event.slug, season=season.slug)
    compare(world)
    assert "accepted" in {hand["state"] for _, hand in world.hands}


def test_small_events_have_all_that_is_to_be_compared(cast: Cast) -> None:
    people = people_of(cast)
    acts = {act for seed in range(4) for act in small_event(cast, people, seed).acts}
    wanted = {"moon self", "moon others", "corrected", "deleted", "disputed", "totals"}
    assert acts >= wanted, wanted - acts


def test_pages_of_the_demo_say_what_rest_says(cast: Cast) -> None:
    folder = Path(settings.BASE_DIR) / "tournaments" / "demo"
    played = [event for event, _ in bring_events(TESTS, cast.riverside, folder)]
    for event in played:
        publications.publish(event.pk, now=timezone.now())
        if event.kind == "ladder":
            publish_ladder(event.pk, now=timezone.now())
        make_all(event.pk)
        publications.publish(event.pk, now=timezone.now())
    for event in played:
        compare(
            World(cast.client("dirk"), "riverside", event.slug, is_ladder=event.kind == "ladder")
        )
