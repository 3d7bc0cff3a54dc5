"""Ladders, ratings, play-offs and the ledger beside what REST says of them."""

from tests.support.comparisons.event_world import World, shown
from tests.support.pages.html_tree import heads, number, rows


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
        told = {box.first("dt").text: box.first("dd") for box in stats.all("div")} if stats else {}  # type: ignore[union-attr]
        where = f"member {row['player_id']}"
        world.equal(f"{where} place", shown(told["Place"]), str(row["place"]))
        world.same(f"{where} games", shown(told["Games"]), row["games"])
        if row["rating_shown"] is not None:
            rating = shown(told["Rating"]).removesuffix("?").strip()
            world.same(f"{where} rating", rating, row["rating_shown"])


def check_what_if(world: World) -> None:
    if not world.is_ladder:
        return
    codes = [row["player_id"] for row in world.rest("ladder")["rows"][:4]]
    asked = "&".join(f"player={code}" for code in codes)
    there = {
        player["player"]: player for player in world.rest(f"ladder/what-if?{asked}")["players"]
    }
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
                if "Current total" in columns:
                    world.same(f"{where} total", cells[-1].text, there["total"])


def check_ledger(world: World) -> None:
    own = {f"line-{one['number']}": one for one in world.every("ledger")}
    table = world.page("ledger").first("table", "fives")
    lines = rows(table) if table else []
    world.equal("ledger lines", len(lines), len(own))
    for row, cells in lines:
        world.same(f"ledger {row.attrs['id']}", cells[2].text, own[row.attrs["id"]]["value"])


def check_opening_values(world: World) -> None:
    own = {f"value-{one['number']}": one for one in world.every("opening-values")}
    table = world.page("opening-values").first("table", "fives")
    lines = rows(table) if table else []
    world.equal("opening values", len(lines), len(own))
    for row, cells in lines:
        world.same(f"value {row.attrs['id']}", cells[3].text, own[row.attrs["id"]]["value"])
