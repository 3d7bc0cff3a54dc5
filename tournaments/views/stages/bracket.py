"""The drawing of a bracket: boxes of tables in columns of rounds, and lines between them.

Lengths are units of the drawing's own `viewBox`.
"""

from typing import Final

from django.http import HttpResponse
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.playoffs.bracket import SEEDINGS, Bracket, DrawnTable, bracket_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_event

WIDTH: Final = 168
"""Width of a box."""
GAP: Final = 40
"""Between two columns."""
LINE: Final = 18
"""Height of an entrant's line."""
HEAD: Final = 22
COLUMN_HEAD: Final = 24
"""Above the boxes, for the name of the round."""
MARGIN: Final = 8
LONGEST: Final = 20
"""Characters of a name in a box; the list below the drawing has the whole name."""


def draw(bracket: Bracket) -> JsonDict | None:
    """Return the drawing of the rounds that have tables, or None.

    `boxes` are those of tables, `paths` have the `d` of each connection, `columns` the headings.
    """
    rounds = [round_ for round_ in bracket["rounds"] if round_["tables"]]
    if not rounds:
        return None
    heights = [
        [HEAD + LINE * max(len(table["entrants"]), 1) + MARGIN for table in round_["tables"]]
        for round_ in rounds
    ]
    tallest = max(sum(column) + MARGIN * (len(column) + 1) for column in heights)
    boxes: dict[str, JsonDict] = {}
    columns = []
    for at, round_ in enumerate(rounds):
        x = MARGIN + at * (WIDTH + GAP)
        free = (tallest - sum(heights[at])) // (len(round_["tables"]) + 1)
        y = COLUMN_HEAD + free
        columns.append({"name": round_["name"], "x": x + MARGIN, "y": COLUMN_HEAD - MARGIN})
        for table, height in zip(round_["tables"], heights[at], strict=True):
            boxes[table["code"]] = _box(table, x, y, height)
            y += height + free
    return {
        "width": 2 * MARGIN + len(rounds) * WIDTH + (len(rounds) - 1) * GAP,
        "height": COLUMN_HEAD + tallest,
        "box_width": WIDTH,
        "boxes": boxes.values(),
        "paths": [
            _path(boxes[table["code"]], boxes[to])
            for round_ in rounds
            for table in round_["tables"]
            for to in table["to"]
        ],
        "columns": columns,
    }


def _box(table: DrawnTable, x: int, y: int, height: int) -> JsonDict:
    lines = [
        {
            "text": f"{entrant['name'][: LONGEST - 1]}…"
            if len(entrant["name"]) > LONGEST
            else entrant["name"],
            "y": y + HEAD + LINE * at + 12,
            "went_on": entrant["went_on"] or entrant["won"],
            "walk_over": entrant["walk_over"],
            "won": entrant["won"],
        }
        for at, entrant in enumerate(table["entrants"])
    ]
    head = {"text_x": x + MARGIN, "head_y": y + 16, "lines": lines}
    return {"number": table["number"], "x": x, "y": y, "height": height, **head}


def _path(box: JsonDict, other: JsonDict) -> str:
    start = box["x"] + WIDTH
    end = other["x"]
    from_y, to_y = (rect["y"] + rect["height"] // 2 for rect in (box, other))
    return f"M{start} {from_y} H{(start + end) // 2} V{to_y} H{end}"


@event_page("read_public")
def bracket(request: PageRequest, event: Event, number: int) -> HttpResponse:
    seeding = request.GET.get("seeding", "")
    seeding = seeding if seeding in SEEDINGS else ""
    read = bracket_of(event, number, seeding, for_director=may_do(event, "manage_event"))
    stages = layout.link_to(_("Stages"), "stages", event)
    context = {"bracket": read, "drawing": draw(read), "seedings": SEEDINGS}
    return render_event(request, "stages/bracket.html", event, context, crumbs=(stages,))
