"""Files of a publication beside its JSON: every row of the spreadsheet and of the print."""

import io
import re
from typing import Any

from PIL import Image
from python_calamine import CalamineWorkbook

from tests.support.answers import Json
from tests.support.comparisons.event_world import World, place_of
from tests.support.pages.html_tree import is_close
from tests.support.pdf_text import page_texts
from tournaments.domain.csv_safety import unescape_formula

NOT_IN_COLUMNS = {"Tied": "tied", "Players": "members", "Withdrawn": "withdrawn"}
CARD = (1200, 630)


def check_files(world: World) -> None:
    tables = [f"{world.base}/standings"]
    tables += [f"{world.base}/ladder"] if world.is_ladder else []
    tables += [f"/clubs/{world.club}/seasons/{world.season}/standings"] if world.season else []
    for address in tables:
        body = world.rest(address)
        check_book(world, address, body, _file(world, f"{address}.xlsx"))
        for paper in ("", "?paper=letter"):
            check_print(world, address, body, _file(world, f"{address}.pdf{paper}"))
        picture = Image.open(io.BytesIO(_file(world, f"{address}.png")))
        world.equal(f"{address} picture", picture.size, CARD)


def check_book(world: World, where: str, body: Json, content: bytes) -> None:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    lines = book.get_sheet_by_index(0).to_python()
    titles = {column["title"]: column["key"] for column in body["columns"]} | NOT_IN_COLUMNS
    keys = [titles[str(head)] for head in lines[0]]
    listed = [*body["rows"], *body.get("provisional_rows", ())]
    world.equal(f"{where} rows of the book", len(lines) - 1, len(listed))
    for line, row in zip(lines[1:], listed, strict=True):
        for key, cell in zip(keys, line, strict=False):
            _same_cell(world, f"{where} {row['player_id']} {key}", cell, row.get(key))
    about = {line[0]: line[1] for line in book.get_sheet_by_name("Publication").to_python()[1:]}
    world.equal(f"{where} digest", about["Digest"], body["publication"]["digest"])
    world.equal(f"{where} number", about["Publication"], float(body["publication"]["number"]))
    if "ratings" in body:
        rated = book.get_sheet_by_name("Ratings").to_python()[1:]
        world.equal(f"{where} ratings", [line[1] for line in rated], _codes(body["ratings"]))


def check_print(world: World, where: str, body: Json, content: bytes) -> None:
    """Every row is there, in order: its place, its name and the figure that decides."""
    pages = page_texts(content)
    texts = [text for page in pages for text in page]
    n = len(pages)
    feet = [text for text in texts if re.fullmatch(r"Page \d+ of \d+", text)]
    world.equal(f"{where} feet", feet, [f"Page {at} of {n}" for at in range(1, n + 1)])
    heads = [page.count("Place") for page in pages]
    world.equal(f"{where} heads", heads, [1] * n)
    at = 0
    for row in [*body["rows"], *body.get("provisional_rows", ())]:
        found = _next_row(texts, at, row)
        world.equal(f"{where} {row['player_id']} is in the print", found is not None, True)
        at, figure = found or (at, "")
        decides = row["values"][body["scheme"]["primary"]] if "values" in row else row["rating"]
        if figure != "–" or decides is not None:
            world.same(f"{where} {row['player_id']} in print", figure, decides)


def _next_row(texts: list[str], at: int, row: Json) -> tuple[int, str] | None:
    """Where the line of a row is, after another one: the index of its first figure, and that."""
    place = str(row["place"]) if "place" in row else place_of(row)
    name = row["player"] + ("(withdrawn)" if row.get("withdrawn") else "")
    name += "(provisional)" if row.get("provisional") and row.get("games") else ""
    names = [member["player"] for member in row.get("members", ())]
    wanted = {_squeezed(name), _squeezed(name + ", ".join(names))}
    for start in range(at, len(texts)):
        if texts[start] != place:
            continue
        so_far, end = "", start + 1
        while end < len(texts) and len(so_far) < max(map(len, wanted)):
            so_far += _squeezed(texts[end])
            end += 1
            if so_far in wanted and not _goes_on(so_far, texts[end], wanted):
                return end, texts[end]
    return None


def _goes_on(so_far: str, text: str, wanted: set[str]) -> bool:
    longer = so_far + _squeezed(text)
    return any(one.startswith(longer) for one in wanted)


def _same_cell(world: World, where: str, cell: Any, there: object) -> None:
    if isinstance(there, bool):
        world.equal(where, cell, "yes" if there else "")
    elif isinstance(there, list) and there and isinstance(there[0], dict):
        world.equal(where, cell, ", ".join(one["player"] for one in there))
    elif isinstance(cell, float) and not isinstance(there, list):
        world.compared += 1
        if not _is_close(cell, there):
            world.differences.append(f"{where}: {cell!r} in the book, REST {there!r}")
    elif there is None:
        world.equal(where, cell, "")
    elif isinstance(there, list):
        world.same(where, str(cell), there)
    else:
        world.equal(where, unescape_formula(str(cell)), str(there))


def _is_close(cell: float, there: object) -> bool:
    """Whether a cell is a figure of REST, rounded to as many decimals as its page shows."""
    shown = [f"{cell:.{decimals}f}" for decimals in (4, 3, 2)]
    if cell.is_integer():
        shown.append(f"{cell:.0f}")
    return any(is_close(text, there) for text in shown)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\u200b]", "", text)


def _codes(rows: list[Json]) -> list[str]:
    return [row["player_id"] for row in rows]


def _file(world: World, path: str) -> bytes:
    answer = world.client.get(f"/api/v1{path}")
    assert answer.status_code == 200, (path, answer.status_code, answer.content[:300])
    return bytes(answer.content)
