"""Standings, and the pages of those who stand there, beside what REST says of them."""

from itertools import pairwise

from tests.support.answers import Json
from tests.support.comparisons.event_world import World, place_of, shown, some
from tests.support.pages.html_tree import Node, exact, heads, number, rows


def standings(world: World, where: str, page: Node, body: Json) -> None:
    own = {row["player_id"]: row for row in [*body["rows"], *body["provisional_rows"]]}
    titles = {
        column[key]: column["key"] for column in body["columns"] for key in ("title", "short")
    }
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


def check_big_screen(world: World) -> None:
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


def check_stage_standings(world: World) -> None:
    body = world.rest("stages/1/standings")
    standings(world, "stage 1", world.page("stages/1/standings"), body)


def check_evening(world: World) -> None:
    """Compare the own tables of evenings; one without a hand that counts has none."""
    for meeting in some(world.every("meetings")):
        day = meeting["date"]
        answer = world.client.get(f"/api/v1{world.base}/meetings/{day}/standings")
        if answer.status_code == 200:
            standings(world, f"evening {day}", world.page(f"meetings/{day}"), answer.json())


def check_difference(world: World) -> None:
    for older, newer in pairwise(sorted(one["number"] for one in world.every("publications"))):
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


def check_entrant(world: World) -> None:
    body = world.rest("standings")
    for row in some([*body["rows"], *body["provisional_rows"]]):
        own, where = row["player_id"], f"entrant {row['player_id']}"
        page = world.page(f"players/{own}")
        stats = page.first("dl", "stats")
        told = {box.first("dt").text: box.first("dd") for box in stats.all("div")} if stats else {}  # type: ignore[union-attr]
        for head, there in (("Points", row["points"]), ("Tables won", row["wins"])):
            world.same(f"{where} {head}", shown(told[head]), there)
        world.equal(f"{where} place", shown(told["Place"]), place_of(row))
        check_met(world, own, page)
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


def check_met(world: World, own: str, page: Node) -> None:
    met = {
        one["opponent_id"]: one for one in world.every("head-to-head") if one["player_id"] == own
    }
    for table in page.all("table", "fives"):
        for row, cells in rows(table):
            link = row.first("a")
            code = link.attrs["href"].rsplit("/", 1)[1] if link else ""
            if "sticky" not in table.css and code in met:
                where = f"entrant {own} met {code}"
                world.same(f"{where} games", cells[1].text, met[code]["games"])
                world.same(f"{where} ahead", cells[2].text, met[code]["ahead"])
                world.same(f"{where} difference", cells[5].text, met[code]["difference"])


RESULT_HEADS = (
    "Event", "Date", "Place", "Score", "Tables", "Won", "Moons", "Hands", "Best evening",
    "Worst evening",
)  # fmt: skip
"""Columns of the results on the page of a player."""


def check_player(world: World) -> None:
    for row in some(world.rest("standings")["rows"]):
        if "members" in row:
            continue
        page = world.page(f"/clubs/{world.club}/players/{row['player_id']}")
        for table in page.all("table", "fives"):
            for line, cells in rows(table):
                link = line.first("a")
                if link is None or f"/events/{world.event}/" not in link.attrs.get("href", ""):
                    continue
                where = f"player {row['player_id']}"
                if len(cells) < len(RESULT_HEADS):
                    continue
                shown = dict(zip(RESULT_HEADS, (cell.text for cell in cells), strict=True))
                world.same(f"{where} tables", shown["Tables"], row["tables"])
                world.same(f"{where} won", shown["Won"], row["wins"])
                world.same(f"{where} moons", shown["Moons"], row["moons"])
                world.same(f"{where} hands", shown["Hands"], row["hands"])


def check_head_to_head(world: World) -> None:
    met = {(one["player_id"], one["opponent_id"]): one for one in world.every("head-to-head")}
    table = world.page("head-to-head").first("table", "matrix")
    if table is None:
        return
    links = [row.first("a") for row, _cells in rows(table)]
    codes = [link.attrs["href"].rpartition("/")[2].removesuffix("#met") for link in links if link]
    world.equal("head to head names", heads(table)[1:], [link.text for link in links if link])
    shown = 0
    for code, (_row, cells) in zip(codes, rows(table), strict=True):
        for other, cell in zip(codes, cells[1:], strict=True):
            one = met.get((code, other))
            if one is not None:
                shown += 1
                won = exact(one["share"]) * one["games"]
                won_shown, _, games = cell.text.partition("/")
                where = f"head to head {code} {other}"
                world.same(f"{where} games", games, one["games"])
                world.equal(f"{where} won", number(won_shown.replace("½", ".5")), won)
            else:
                world.equal(f"head to head {code} {other}", cell.text.strip("·"), "")
    world.equal("head to head pairs", shown, len(met))


def check_club_records(world: World) -> None:
    """The most of anything is that of the event's own rows, where it is of this event."""
    for table in world.page(f"/clubs/{world.club}/records").all("table", "fives"):
        for row, cells in rows(table):
            key = cells[0].text.lower()
            for link in row.all("a"):
                href = link.attrs["href"]
                if f"/events/{world.event}/tables/" in href and "table" in key and "point" in key:
                    code = href.rsplit("/", 1)[1]
                    totals = [exact(seat["total"]) for seat in world.finishes(code)]
                    world.equal(f"record {key} {code}", number(cells[1].text) in totals, True)


def check_club(world: World) -> None:
    """The event that a club shows first, its last results, and its ladders."""
    page = world.page(f"/clubs/{world.club}")
    body = world.rest("standings")
    own = {row["player_id"]: row for row in [*body["rows"], *body["provisional_rows"]]}
    for table in page.all("table", "fives"):
        columns = heads(table)
        for row, cells in rows(table):
            link = row.first("a")
            start, _, code = link.attrs["href"].rpartition("/players/") if link else ("", "", "")
            if start != world.base:
                continue
            where = f"club {code}"
            world.equal(f"{where} place", cells[0].text, place_of(own[code]))
            for cell in (one for one in cells if "key" in one.css):
                primary = body["scheme"]["primary"]
                world.same(f"{where} {primary}", cell.text, own[code]["values"][primary])
            for head, cell in zip(columns, cells, strict=True):
                key = {"Hands": "hands", "Won": "wins"}.get(head)
                if key:
                    world.same(f"{where} {key}", cell.text, own[code][key])
    check_last_results(world, page)
    check_club_ladders(world, page)


def check_last_results(world: World, page: Node) -> None:
    for card in page.all("section", "game"):
        link = card.first("a")
        start, _, code = link.attrs["href"].rpartition("/tables/") if link else ("", "", "")
        if start != world.base:
            continue
        told = world.rest(f"rounds/{world.rest(f'tables/{code}')['round']}")["tables"]
        there = {
            result["player"]: result for t in told if t["code"] == code for result in t["results"]
        }
        for _, cells in rows(card):
            name = next((one for one in there if cells[1].text.startswith(one)), cells[1].text)
            where = f"club table {code} {name}"
            world.equal(f"{where} place", cells[0].text, there[name]["place"] or "–")
            world.same(f"{where} points", cells[-1].text, there[name]["points"])


def check_club_ladders(world: World, page: Node) -> None:
    """The first places of a ladder, in the panel of the club's ladders."""
    if not world.is_ladder:
        return
    top = [f"{row['place']} {row['player']}" for row in world.rest("ladder")["rows"][:3]]
    for line in (one for todo in page.all("ul", "todo") for one in todo.all("li")):
        link, text = line.first("a"), line.first("p")
        if link is not None and text is not None and link.attrs["href"] == f"{world.base}/ladder":
            shown = text.text.split(" · ")
            shown[-1] = shown[-1][: len(top[-1])]
            world.equal("club ladder", shown, top)


def check_season(world: World) -> None:
    if not world.season:
        return
    address = f"/clubs/{world.club}/seasons/{world.season}"
    body = world.rest(f"{address}/standings")
    standings(world, "season", world.page(address), body)
    number_ = body["publication"]["number"]
    standings(world, "season publication", world.page(f"{address}/publications/{number_}"), body)


def check_preview(world: World) -> None:
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


def check_csv(world: World) -> None:
    page = world.client.get(f"{world.base}/standings.csv", follow=True)
    rest = world.client.get(f"/api/v1{world.base}/standings.csv")
    world.equal("standings.csv", page.content, rest.content)
    if world.season:
        address = f"/clubs/{world.club}/seasons/{world.season}/standings.csv"
        page = world.client.get(address, follow=True)
        rest = world.client.get(f"/api/v1{address}")
        world.equal("season.csv", page.content, rest.content)
