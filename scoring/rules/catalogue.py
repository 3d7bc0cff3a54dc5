"""The catalogue: the variant files of `data/variants`, and of further directories, as rules.

Pure but for reading those files. The directory is the registry: a new file is a new variant
everywhere.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from functools import lru_cache
from math import isfinite
from pathlib import Path as File
from typing import Final

from scoring.cards import SUIT_SIGNS
from scoring.errors import Path, Problem, Refused, Suggestion, shown, similar
from scoring.json_types import JsonDict, JsonObject
from scoring.rules.dealing import faults_of_dealing, faults_of_options
from scoring.rules.options import bad_option, with_options
from scoring.rules.rules import Rules, canonical

LARGEST_FILE: Final = 200_000
_ENDLESS_KEY: Final = re.compile(rb"(?<![\w\"'-])(?:[\w\"'-]+[ \t]*\.[ \t]*){33}")
"""More steps than any rules have; the reader's time grows with the square of them."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The name, summary and sources of a variant."""

    id: str
    name: str
    aliases: tuple[str, ...]
    summary: str
    sources: tuple[str, ...]
    status: str
    notes: str
    file: File

    @property
    def known_as(self) -> tuple[str, ...]:
        """The aliases with other words than the name."""
        words = sorted(re.findall(r"\w+", self.name.lower()))
        return tuple(a for a in self.aliases if sorted(re.findall(r"\w+", a.lower())) != words)


SHIPPED = File(__file__).parent.parent / "data" / "variants"
_SIGNS = str.maketrans({sign: letter for letter, sign in SUIT_SIGNS.items()})


def read_file(file: File) -> JsonObject:
    """A variant file as TOML."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Refused(fault((), f"the file cannot be read ({error.strerror}).", file)) from error
    return read_text(data, file)


def read_text(data: bytes, file: File) -> JsonObject:
    """The content of a variant file, as TOML. `file` is only named, never opened."""
    if len(data) > LARGEST_FILE:
        why = f"the file is too large for a variant; at most {LARGEST_FILE} bytes."
        raise Refused(fault((), why, file))
    if _ENDLESS_KEY.search(data):
        raise Refused(fault((), "a key has too many steps; rules are a few tables deep.", file))
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
        strange = next(_strange(raw, ()), None)
    except (ValueError, RecursionError) as error:
        raise Refused(fault((), f"this is not TOML: {error}.", file)) from error
    if strange is not None:
        raise Refused(fault(*strange, file))
    return raw


def _strange(value: object, at: Path) -> Iterator[tuple[Path, str]]:
    """Values that TOML allows and rules do not: dates, times, NaN, infinities, NUL characters."""
    if isinstance(value, Mapping | list):
        for key, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _strange(part, (*at, key))
    elif isinstance(value, date | time):
        yield at, f"{value} is a date or a time; rules hold texts, whole numbers, true and false."
    elif isinstance(value, float) and not isfinite(value):
        yield at, f"{value} is not a number."
    elif isinstance(value, str) and "\0" in value:
        yield at, "a text holds a letter that cannot be written."


def line_of(text: str, problem: Problem) -> int:
    """The line of a file that a problem is about, as near as its key can be found; 1 otherwise.

    >>> line_of('id = "x"\\ntricks = 5\\n', Problem("bad_rules", ("tricks",)))
    2
    """
    if match := re.search(r"\(at line (\d+)", str(problem.facts.get("why", ""))):
        return int(match[1])
    lines = text.splitlines()
    at = 0
    for step in problem.at:
        if isinstance(step, int):
            line = _entry(lines, at, step)
        else:
            line = _key(lines, at, step)
        if line is None:
            break
        at = line
    return at + 1


def _key(lines: Sequence[str], at: int, key: str) -> int | None:
    name = re.escape(key)
    stands = re.compile(rf"\s*\[+([\w.-]+\.)?{name}\]|(.*[{{,\s])?{name}\s*=")
    return next((n for n in range(at, len(lines)) if stands.match(lines[n])), None)


def _entry(lines: Sequence[str], at: int, place: int) -> int | None:
    """The line of an entry of a list: a table of its own, or a line of the list; else the list."""
    head = lines[at].strip()
    if head.startswith("[["):
        places = [n for n in range(at, len(lines)) if lines[n].strip() == head]
    elif head.endswith("["):
        places = [n for n in range(at + 1, len(lines)) if lines[n].strip()]
    else:
        return at
    if place < len(places):
        return places[place]
    return None


def variant_in(file: File, raw: Mapping[str, object]) -> Variant:
    """The variant that a file describes, without its rules."""

    def text(key: str) -> str:
        value = raw.get(key, "")
        if not isinstance(value, str):
            raise Refused(fault((key,), f"{shown(value)} is not a text.", file))
        return value

    def texts(key: str) -> tuple[str, ...]:
        value = raw.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Refused(fault((key,), f"{shown(value)} is not a list of texts.", file))
        return tuple(value)

    if not isinstance(raw.get("options", {}), dict):
        raise Refused(fault(("options",), f"{shown(raw['options'])} is not a table.", file))
    if not text("id") or not text("name"):
        raise Refused(fault(("id",), "a variant has an id and a name.", file))
    return Variant(
        text("id"),
        text("name"),
        texts("aliases"),
        text("summary"),
        texts("sources"),
        text("status"),
        text("notes"),
        file,
    )


def fault(at: Path, why: str, file: File) -> Problem:
    """The problem of something at a path of a variant file."""
    key = ".".join(map(str, at)) or "file"
    return Problem("bad_rules", at, {"key": key, "why": why, "file": file.name})


_ABOUT = ("aliases", "summary", "sources", "status", "extends", "notes", "options")


class Catalogue:
    """The variants of some directories. Get one from `catalogue()`, which caches it.

    An invalid shipped file raises. An invalid file of a further directory is skipped and listed in
    `bad_files`, so that a club's mistake does not remove the other variants.
    """

    def __init__(self, directories: Sequence[File]) -> None:
        # Files of further directories that were left out, the line from 1, and why.
        self.bad_files: list[tuple[File, int, str]] = []
        self._raw: dict[str, JsonObject] = {}
        self._variants: dict[str, Variant] = {}
        self._names: dict[str, str] = {}
        self._resolved: dict[str, JsonObject] = {}
        self._rules: dict[str, Rules] = {}
        for file in sorted(SHIPPED.glob("*.toml")) if SHIPPED in directories else ():
            self.add(file, read_file(file))
        further = [directory for directory in directories if directory != SHIPPED]
        added = [new_id for directory in further for new_id in self._add_further(directory)]
        for variant_id in added:
            self._keep_sound(variant_id)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all variants, sorted."""
        return tuple(sorted(self._variants))

    def variant(self, variant_id: str) -> Variant:
        """The name, summary and sources of the variant."""
        return self._variants[self.find(variant_id)]

    def find(self, text: str) -> str:
        """The id of the variant that `text` means: its id, name or an alias, in any spelling."""
        variant_id = self.named(text)
        if variant_id is None:
            raise Refused(self._unknown(text))
        return variant_id

    def named(self, text: object) -> str | None:
        """The id of the variant that `text` means, or None where it means none."""
        if not isinstance(text, str):
            return None
        return self._names.get(folded(text))

    def rules(self, variant_id: str, options: JsonObject | None = None) -> Rules:
        """The variant's rules with the options on them, those that its file chooses included."""
        resolved_id = self.find(variant_id)
        if not options:
            if resolved_id not in self._rules:
                self._rules[resolved_id] = Rules.from_json(self.resolved(resolved_id))
            return self._rules[resolved_id]
        return rules_with(self.foundation(resolved_id), {**self.chosen(resolved_id), **options})

    def resolved(self, variant_id: str) -> JsonObject:
        """The variant's rules as JSON, with those that it extends and the options of its file.

        Their `options` are those that were applied: none where the file chooses none.
        """
        if variant_id not in self._resolved:
            data = self.foundation(variant_id)
            options = self.chosen(variant_id)
            if options:
                whole = rules_with(data, options).as_json()
            else:
                whole = {**data, "options": {}}
            self._resolved[variant_id] = whole
        return self._resolved[variant_id]

    def foundation(self, variant_id: str) -> JsonObject:
        """The variant's rules as JSON before any option, which is what options are put on."""
        return self._resolve(variant_id, ())

    def chosen(self, variant_id: str) -> JsonObject:
        """The options that the variant's file chooses; over those of the files that it extends."""
        raw = self._extendable(variant_id, ())
        above = self.chosen(raw["extends"]) if "extends" in raw else {}
        return {**above, **raw.get("options", {})}

    def _resolve(self, variant_id: str, chain: tuple[str, ...]) -> JsonDict:
        raw = self._extendable(variant_id, chain)
        keys = {key: value for key, value in raw.items() if key not in _ABOUT}
        if "extends" not in raw:
            return keys
        return {**self._resolve(raw["extends"], (*chain, variant_id)), **keys}

    def _extendable(self, variant_id: str, chain: tuple[str, ...]) -> JsonObject:
        raw = self._raw.get(variant_id) if isinstance(variant_id, str) else None
        if raw is None or variant_id in chain:
            why = f"{shown(variant_id)} is not a variant that can be extended here."
            close = self._unknown(variant_id).suggestions
            if raw is None and close:
                why += f" Closest: {', '.join(str(hint.facts['name']) for hint in close)}."
            raise Refused(Problem("bad_rules", ("extends",), {"key": "extends", "why": why}))
        return raw

    def _add_further(self, directory: File) -> Iterator[str]:
        if not directory.is_dir():
            self._leave_out(directory, [fault((), "there is no such directory.", directory)])
        for file in sorted(directory.glob("*.toml")):
            try:
                raw = read_file(file)
                self.add(file, raw)
            except Refused as refused:
                self._leave_out(file, refused.problems)
            else:
                yield raw["id"]

    def _keep_sound(self, variant_id: str) -> None:
        file = self._variants[variant_id].file
        try:
            faults = self.faults(variant_id)
        except Refused as refused:
            faults = list(refused.problems)
        if faults:
            self._leave_out(file, faults)
            del self._raw[variant_id], self._variants[variant_id]
            self._names = {key: of for key, of in self._names.items() if of != variant_id}
            self._rules.pop(variant_id, None)

    def faults(self, variant_id: str) -> list[Problem]:
        """The faults of a variant before its options; those are checked together with them."""
        file = self._variants[variant_id].file
        before = Rules.from_json({**self.foundation(variant_id), "options": {}})
        self.rules(variant_id)
        return [fault(at, why, file) for at, why in faults_of_dealing(before)]

    def _leave_out(self, file: File, problems: Sequence[Problem]) -> None:
        text = file.read_text(errors="replace") if file.is_file() else ""
        for problem in problems:
            line = line_of(text, problem)
            why = f"{file}:{line}: {problem.code}: {problem.message}"
            self.bad_files.append((file, line, why))

    def add(self, file: File, raw: JsonObject) -> None:
        """Take a variant file in."""
        variant = variant_in(file, raw)
        names = {folded(text): text for text in (variant.id, variant.name, *variant.aliases)}
        if variant.id in self._raw:
            raise Refused(fault(("id",), f"there is a variant {shown(variant.id)} already.", file))
        for key, text in names.items():
            if key in self._names:
                other_id = self._names[key]
                raise Refused(fault(("id",), f"{shown(text)} already means {other_id}.", file))
        self._names |= dict.fromkeys(names, variant.id)
        self._raw[variant.id] = raw
        self._variants[variant.id] = variant

    def _unknown(self, text: object) -> Problem:
        close = similar(folded(text), self._names, 3) if isinstance(text, str) else []
        ids = dict.fromkeys(self._names[name] for name in close)
        hints = tuple(Suggestion("closest", facts={"name": name}) for name in ids)
        return Problem("unknown_variant", ("variant",), {"found": shown(text)}, hints)


_cached = lru_cache(maxsize=16)(Catalogue)


def catalogue(extra_dirs: Sequence[File] = ()) -> Catalogue:
    """The shipped variants and those of further directories; read once for each list."""
    return _cached((SHIPPED, *map(File, extra_dirs)))


def rules_with(foundation: JsonObject, options: JsonObject) -> Rules:
    """The rules that options make of a variant's rules before any option."""
    data = {**foundation, "options": {}}
    if not options:
        return Rules.from_json(data)
    try:
        return _with_options(canonical(data), json.dumps(options, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        why = "It cannot be written as JSON."
        raise Refused(bad_option("options", "that", why)) from error


@lru_cache(maxsize=1024)
def _with_options(text: str, option_text: str) -> Rules:
    foundation, options = json.loads(text), json.loads(option_text)
    rules, why = _put_on(foundation, options)
    if rules is None:
        raise Refused(
            *[bad_option(name, options[name], why) for name in _to_blame(foundation, options)]
        )
    return rules


def _put_on(foundation: JsonObject, options: JsonObject) -> tuple[Rules | None, str]:
    """The rules with the options applied, or None and the reason."""
    resolved = with_options(foundation, options)
    try:
        rules = Rules.from_json(resolved)
    except Refused as refused:
        return None, " ".join(problem.message for problem in refused.problems)
    faults = dict.fromkeys(why for _, why in faults_of_options(rules))
    if not faults:
        return (rules, "")
    return (None, " ".join(faults))


def _to_blame(foundation: JsonObject, options: JsonObject) -> list[str]:
    """The options of which removing a single one makes the rest valid; else all of them."""

    def stand_without(name: str) -> bool:
        try:
            rest = {key: options[key] for key in options if key != name}
            return _put_on(foundation, rest)[0] is not None
        except Refused:
            return False

    return list(filter(stand_without, options)) or list(options)


def folded(text: str) -> str:
    """The text without case, blanks and punctuation, suit signs as letters.

    >>> folded("Omnibus J♦"), folded("omnibus-jd")
    ('omnibusjd', 'omnibusjd')
    """
    return "".join(letter for letter in text.translate(_SIGNS).casefold() if letter.isalnum())


def check_file(file: File, extra_dirs: Sequence[File] = ()) -> Rules:
    """The rules of a variant file that is to be added, checked strictly."""
    raw = read_file(file)
    problems = []
    if isinstance(raw.get("id"), str) and raw["id"] != file.stem:
        problems.append(fault(("id",), f"the file must be called {shown(raw['id'])}.toml.", file))
    return _checked(raw, file, Catalogue([SHIPPED, *map(File, extra_dirs)]), problems).rules


@dataclass(frozen=True, slots=True)
class CheckedVariant:
    """A valid variant file: its text as TOML, and the result of reading it.

    `foundation` are its rules before its `options`; `base` is what it extends, or nothing.
    """

    variant: Variant
    raw: JsonObject
    base: str
    foundation: JsonObject
    options: JsonObject
    rules: Rules


def check_text(text: bytes, name: str, extra_dirs: Sequence[File] = ()) -> CheckedVariant:
    """Check an uploaded variant file as strictly as one that is to be added.

    Messages use its `name`; no file of that name is read.
    """
    raw = read_text(text, File(name))
    file = File(name)
    return _checked(raw, file, Catalogue([SHIPPED, *map(File, extra_dirs)]), [])


def _checked(
    raw: JsonObject, file: File, shipped: Catalogue, problems: list[Problem]
) -> CheckedVariant:
    """Check a file in a separate catalogue with the file added."""
    own_file = shipped.variant(raw["id"]).file if raw.get("id") in shipped.ids else None
    is_itself = own_file is not None and file.is_file() and own_file.samefile(file)
    if not is_itself:
        shipped.add(file, raw)
    variant_id = raw["id"]
    problems = [*shipped.faults(variant_id), *problems]
    if not shipped.variant(variant_id).sources:
        problems.append(fault(("sources",), "say where the rule comes from.", file))
    if problems:
        raise Refused(*problems)
    return CheckedVariant(
        shipped.variant(variant_id),
        raw,
        raw.get("extends", ""),
        shipped.foundation(variant_id),
        shipped.chosen(variant_id),
        shipped.rules(variant_id),
    )
