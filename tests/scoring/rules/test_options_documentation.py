"""docs/variant-options.md lists the options as data/options.toml has them."""

from scoring.json_types import JsonObject
from scoring.option_labels import option_labels
from scoring.rules.options import option_table
from tests.support.sources import ROOT

PAGE = ROOT / "docs" / "variant-options.md"
TAKES = {
    "number": "points", "amount": "points, or `slam`", "whole": "a whole number from 1",
    "flag": "`true`, `false`", "selector": "cards, such as `*H,QS`",
    "values": 'a list of `["KS", 10]`', "card_map": 'cards by number of players, `{"3": ["2D"]}`',
    "cycles": 'cycles by number of players, `{"4": ["left", "hold"]}`',
    "self_from": '`{"score": 50, "who": "self"}` or `"any"`',
}  # fmt: skip
PASSES = {
    "cards": "cards are passed",
    "across": "cards are passed and somebody sits across",
    "count": "cards are passed, in a way whose number is that of the rules",
}

ASKED = {
    "counts": "`{}` counts",
    "pack": "`{}` is in the pack",
    "alone": "only its value names `{}`",
    "number": "scores are plain numbers",
    "lacks": "no `{}`",
    "sets": "no other option replaces the value",
}


def row(name: str, option: JsonObject) -> str:
    """One option as a row of the page."""
    takes = option.get("takes", list(option.get("choices", ())))
    listed = takes if isinstance(takes, list) else []
    asked = []
    if "where" in option:
        asked.append(f"`{option['where']}` {' / '.join(option.get('among', ()))}".strip())
    if "moon" in option:
        beside = f", or beside `{option['beside']}`" if "beside" in option else ""
        asked.append(f"the moon is {' / '.join(option['moon'])}{beside}")
    if "passes" in option:
        asked.append(PASSES[option["passes"]])
    asked += [text.format(option[key]) for key, text in ASKED.items() if key in option]
    if "replaced_by" in option:
        asked.append(f"not replaced by {' and '.join(f'`{o}`' for o in option['replaced_by'])}")
    asked += [f"without `{other}`" for other in option.get("without", ())]
    words = option_labels()[name]
    named = f"`{name}` {words.label}"
    said = ", ".join(f"`{c}` {words.choices[c].label}" for c in listed) or TAKES[takes]
    return f"| {named} | {option['says']} | {said} | {'; '.join(asked).strip()} |"


def test_page_lists_every_option_as_the_file_has_it() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    assert rows == [row(name, option) for name, option in option_table().items()]
