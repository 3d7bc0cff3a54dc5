"""Rules: one rule set, frozen and fully resolved, known by the hash of its content.

Pure. A variant plus options becomes `Rules` in `catalogue.py`; a stored snapshot becomes the same
`Rules` through `Rules.from_json`. Two equal snapshots are one object, so that what is prepared for
a rule set is prepared once.
"""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeAlias

from scoring.errors import Refused
from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import Complex, Score, as_complex, read_score
from scoring.rules import schema
from scoring.rules.schema import Reading, list_of, one_of, part
from scoring.rules.types import (
    DeckRule,
    Finish,
    HandBonus,
    Lives,
    Meld,
    Modifier,
    Play,
    Result,
    Rounding,
    Running,
    SameCard,
    Settle,
    Slam,
    Teams,
    Value,
)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a resolved rule set, typed; `docs/rules-engine.md` says what each means."""

    id: str
    name: str
    players: tuple[int, int]
    deck: DeckRule
    counting: str
    values: tuple[Value, ...]
    finish: tuple[Finish, ...]
    with_hearts: str = ""
    options: JsonObject = field(default_factory=dict)
    teams: Teams = field(default_factory=Teams)
    tricks: str = "equal"
    modifiers: tuple[Modifier, ...] = ()
    chargeable: tuple[str, ...] = ()
    slams: tuple[Slam, ...] = ()
    hand_bonus: tuple[HandBonus, ...] = ()
    running: Running = field(default_factory=Running)
    settle: Settle | None = None
    lives: Lives | None = None
    result: Result = field(default_factory=Result)
    same_card: SameCard = field(default_factory=SameCard)
    melds: tuple[Meld, ...] = ()
    trick_value: int = 0
    last_trick: int = 0
    rounding: Rounding | None = None
    number: str = "real"
    short_form: str = "*H"
    play: Play = field(default_factory=Play)
    sheet: tuple[str, ...] = ()


_read_keys = part(
    Keys,
    id=schema.text,
    name=schema.text,
    options=schema.anything,
    players=schema.seat_range,
    teams=schema.teams,
    deck=schema.deck,
    tricks=one_of("equal", "variable"),
    counting=schema.selector,
    with_hearts=schema.jokers,
    values=list_of(schema.value_rule),
    modifiers=list_of(schema.modifier),
    chargeable=list_of(schema.card),
    slams=list_of(schema.slam),
    hand_bonus=list_of(schema.hand_bonus),
    running=schema.running,
    settle=schema.settle,
    lives=schema.lives,
    finish=list_of(schema.finish),
    result=schema.result,
    same_card=schema.same_card,
    melds=list_of(schema.meld),
    trick_value=schema.whole(),
    last_trick=schema.whole(),
    rounding=schema.rounding,
    number=one_of("real", "complex"),
    short_form=schema.selector,
    play=schema.play,
    sheet=list_of(schema.text),
)


@dataclass(frozen=True, eq=False, slots=True)
class Rules:
    """One resolved rule set. Rules with equal content are equal, regardless of their origin."""

    keys: Keys
    text: str
    content_hash: str
    zero: Score
    only_adds: bool
    """Whether a hand without a slam only adds its scores to the totals."""
    prepared: dict[int, Any] = field(default_factory=dict, repr=False)
    """Results of `compiled_rules.prepare`, by number of seats."""
    quick: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Tables of `fast_path.score_entry`, by number of seats and sides."""

    @property
    def id(self) -> str:
        """The variant's id."""
        return self.keys.id

    @property
    def name(self) -> str:
        """The variant's name as players say it."""
        return self.keys.name

    @property
    def table_sizes(self) -> range:
        """The numbers of players that the rules are for."""
        least, most = self.keys.players
        return range(least, most + 1)

    @property
    def options(self) -> JsonObject:
        """The options that were put on the variant, as given."""
        return self.keys.options

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Rules) and self.content_hash == other.content_hash
        )

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def as_json(self) -> JsonDict:
        """The resolved rules as JSON; `Rules.from_json` gives them back."""
        document: JsonDict = json.loads(self.text)
        return document

    def number(self, value: object, *, stored: bool = False) -> Score | None:
        """The score in a JSON value under these rules, or `None`."""
        pairs = isinstance(self.zero, Complex)
        number = read_score(value, pairs=pairs, stored=stored)
        if pairs and number is not None:
            return as_complex(number)
        return number

    @staticmethod
    def from_json(data: JsonObject, *, stored: bool = False) -> "Rules":
        """The rules that a snapshot holds; one that is `stored` keeps the numbers it has."""
        return _rules(canonical(data), stored)


Patch: TypeAlias = Mapping[str, Any]


class NoSuchPart(Exception):
    """The patch names something that these rules do not have."""


def canonical(data: JsonObject) -> str:
    """One text for one content: keys sorted, no blanks; what `content_hash` is the hash of."""
    return json.dumps(
        data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def score_alike(rules: Rules, other: Rules) -> bool:
    """Whether two rule sets score all hands the same; names and rules of play may differ."""
    unscored: JsonDict = {"id": "", "name": "", "options": {}, "play": Play(), "sheet": ()}
    return replace(rules.keys, **unscored) == replace(other.keys, **unscored)


@lru_cache(maxsize=1024)
def _rules(text: str, stored: bool) -> Rules:
    data = json.loads(text)
    reading = Reading(pairs=data.get("number") == "complex", stored=stored)
    keys = reading.attempt(_read_keys, data, ())
    if keys is not None and not reading.problems:
        _check_together(keys, reading)
    if keys is None or reading.problems:
        raise Refused(*reading.problems)
    digest = sha256(text.encode()).hexdigest()
    running = keys.running.resets or keys.running.floor is not None
    only_adds = not (running or keys.lives or any(slam.span > 1 for slam in keys.slams))
    return Rules(keys, text, digest, Complex(0) if reading.pairs else 0, only_adds)


def _check_together(keys: Keys, reading: Reading) -> None:
    for place, test in enumerate(keys.finish):
        at = ("finish", place)
        if test.kind == "score" and reading.pairs:
            reading.fault(at, "complex scores have no order; use kind abs.")
        if test.kind == "deals" and not (isinstance(test.value, int) and test.value >= 1):
            reading.fault((*at, "value"), "a number of hands is whole, from 1 up.")
    for place, slam in enumerate(keys.slams):
        if (slam.span > 1) != (slam.pay.mode == "span"):
            reading.fault(("slams", place, "span"), "mode span and a span of hands go together.")
    if keys.settle and keys.settle.winners == "clean" and keys.settle.clean is None:
        reading.fault(("settle", "clean"), "the clean players must be given.")
    ordered = (
        any(modifier.op == "floor" for modifier in keys.modifiers),
        keys.running.floor is not None,
        any(slam.pay.self_from for slam in keys.slams),
        keys.lives is not None,
    )
    if reading.pairs and any(ordered):
        reading.fault(("number",), "complex scores have no floor, no lives and no first score.")
    if keys.settle and reading.pairs:
        reading.fault(("settle",), "complex scores cannot be settled.")
    if keys.trick_value and (
        keys.tricks != "equal" or keys.same_card.rule == "cancel" or keys.settle
    ):
        why = "tricks count only where each one has a winner and nothing is settled."
        reading.fault(("trick_value",), why)
    _check_melds(keys, reading)


_BESIDE_MELDS = (
    "modifiers",
    "chargeable",
    "slams",
    "hand_bonus",
    "settle",
    "lives",
    "trick_value",
    "with_hearts",
)
"""Keys that no hand with melds is scored by."""


def _check_melds(keys: Keys, reading: Reading) -> None:
    for place, test in enumerate(keys.finish):
        at = ("finish", place)
        if test.step and (test.kind != "score" or test.op not in (">=", ">")):
            reading.fault((*at, "step"), "only a score that is to be reached or passed rises.")
        if test.declare and (test.kind != "score" or not keys.melds or keys.players != (2, 2)):
            reading.fault((*at, "declare"), "two players with melds declare that a score is there.")
    if keys.melds:
        _check_beside_melds(keys, reading)
    elif keys.last_trick or keys.rounding:
        key = "last_trick" if keys.last_trick else "rounding"
        reading.fault((key,), "only rules with melds have trick points.")


def _check_beside_melds(keys: Keys, reading: Reading) -> None:
    if len({meld.id for meld in keys.melds}) < len(keys.melds):
        reading.fault(("melds",), "each meld needs an id of its own.")
    for key in filter(lambda key: getattr(keys, key), _BESIDE_MELDS):
        reading.fault((key,), "rules with melds cannot have it.")
    if keys.running != Running() or keys.teams.mode != "none" or reading.pairs:
        why = "rules with melds have totals of whole points, one for each seat, and no more."
        reading.fault(("melds",), why)
    if any(type(rule.value) is not int or rule.value < 0 for rule in keys.values):
        reading.fault(("values",), "with melds the value of a card is a whole number from 0 up.")


def part_at(rules: JsonObject, steps: Iterable[str]) -> Any:
    """The value at the end of a path of a patch."""
    part: Any = rules
    for step in steps:
        part = _item_at(part, step)
    return part


def filled(template: Any, words: JsonObject) -> Any:
    """The template with each word replaced: alone by the value, within a text by its text."""
    if isinstance(template, Mapping):
        return {key: filled(item, words) for key, item in template.items()}
    if isinstance(template, list):
        return [filled(item, words) for item in template]
    if isinstance(template, str) and "$" in template:
        if template in words:
            return deepcopy(words[template])
        for word in sorted(words, key=len, reverse=True):
            template = template.replace(word, str(words[word]))
    return template


def apply_patch(rules: JsonDict, patch: Patch) -> None:
    """Change `rules` as a patch says; `NoSuchPart` where it names what they do not have."""
    for path, value in patch.items():
        way = path.rstrip("+^?-").split(".")
        last = path[-1]
        if last == "-":
            _take_out(rules, way, value)
        elif last in "+^?":
            _extend(rules, way[0], last, filled(value, {"$counting": rules["counting"]}))
        else:
            *holders, key = way
            target = part_at(rules, holders)
            if not isinstance(target, dict):
                raise NoSuchPart
            target[key] = deepcopy(value)


def _take_out(rules: JsonDict, way: list[str], value: str) -> None:
    *holders, key = way
    holder = part_at(rules, holders)
    mark = "; " if key == "notes" else ","
    gone = ("", *value.split(mark))
    terms = [term for term in str(holder.get(key, "")).split(mark) if term not in gone]
    if key in holder:
        holder[key] = mark.join(terms)


def _extend(rules: JsonDict, key: str, how: str, value: Any) -> None:
    present = rules.get(key, [])
    if isinstance(present, str):
        rules[key] = present + value
    elif how == "+":
        rules[key] = [*present, value]
    elif how == "^":
        rules[key] = [value, *present]
    elif not present:
        rules[key] = [value]


def _item_at(holder: object, step: str) -> object:
    """The part that `step` names in a table, or in a list by place, name, id, cards or pledge."""
    if isinstance(holder, dict) and step in holder:
        return holder[step]
    if isinstance(holder, list):
        if step.isdigit() and int(step) < len(holder):
            return holder[int(step)]
        for item in reversed(holder):
            if step in (item.get(key) for key in ("name", "id", "cards", "pledge")):
                return item
    raise NoSuchPart
