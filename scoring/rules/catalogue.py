"""The catalogue: the variant files of `data/variants`, and of further directories, as rules.

Pure but for reading those files. The directory is the registry: a new file is a new variant
everywhere.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from scoring.cards import SUIT_SIGNS
from scoring.errors import Problem, Refused, Suggestion, shown
from scoring.json_types import JsonDict, JsonObject
from scoring.rules.dealing import faults_of_dealing, faults_of_options
from scoring.rules.options import bad_option, with_options
from scoring.rules.rules import Rules, canonical
from scoring.rules.variant_files import (
    BadFile,
    Variant,
    fault,
    line_of,
    read_file,
    read_text,
    variant_in,
)

SHIPPED = Path(__file__).parent.parent / "data" / "variants"
_ABOUT = ("aliases", "summary", "sources", "status", "extends", "notes", "options")
_SIGNS = str.maketrans({sign: letter for letter, sign in SUIT_SIGNS.items()})


class Catalogue:
    """The variants of some directories. Get one from `catalogue()`, which keeps it.

    A shipped file that cannot stand raises. One of a further directory is left out, and stands in
    `bad_files`: a club's mistake takes nobody's variants away.
    """

    def __init__(self, directories: Sequence[Path]) -> None:
        self.bad_files: list[BadFile] = []
        self._raw: dict[str, Mapping[str, Any]] = {}
        self._variants: dict[str, Variant] = {}
        self._names: dict[str, str] = {}
        self._resolved: dict[str, Mapping[str, Any]] = {}
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
        return self._names.get(folded(text)) if isinstance(text, str) else None

    def rules(self, variant_id: str, options: JsonObject | None = None) -> Rules:
        """The variant's rules with the options on them, those that its file chooses included."""
        resolved_id = self.find(variant_id)
        if not options:
            if resolved_id not in self._rules:
                self._rules[resolved_id] = Rules.from_json(self.resolved(resolved_id))
            return self._rules[resolved_id]
        return rules_with(self.foundation(resolved_id), {**self.chosen(resolved_id), **options})

    def resolved(self, variant_id: str) -> JsonObject:
        """The variant's rules as JSON, with those that it extends and the options of its file."""
        if variant_id not in self._resolved:
            data, options = self.foundation(variant_id), self.chosen(variant_id)
            whole = rules_with(data, options).as_json() if options else {**data, "options": {}}
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

    def _add_further(self, directory: Path) -> Iterator[str]:
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
        """Take a variant out again whose rules cannot stand."""
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

    def _leave_out(self, file: Path, problems: Sequence[Problem]) -> None:
        text = file.read_text(errors="replace") if file.is_file() else ""
        for problem in problems:
            line = line_of(text, problem)
            why = f"{file}:{line}: {problem.code}: {problem.message}"
            self.bad_files.append((file, line, why))

    def add(self, file: Path, raw: JsonObject) -> None:
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
        close = get_close_matches(folded(text), self._names, n=3) if isinstance(text, str) else []
        ids = dict.fromkeys(self._names[name] for name in close)
        hints = tuple(Suggestion("closest", facts={"name": name}) for name in ids)
        return Problem("unknown_variant", ("variant",), {"found": shown(text)}, hints)


_cached = lru_cache(maxsize=16)(Catalogue)


def catalogue(extra_dirs: Sequence[Path] = ()) -> Catalogue:
    """The shipped variants and those of further directories; read once for each list."""
    return _cached((SHIPPED, *map(Path, extra_dirs)))


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
    """The rules with the options on them, or None and why there are none."""
    resolved = with_options(foundation, options)
    try:
        rules = Rules.from_json(resolved)
    except Refused as refused:
        return None, " ".join(problem.message for problem in refused.problems)
    faults = dict.fromkeys(why for _, why in faults_of_options(rules))
    return (None, " ".join(faults)) if faults else (rules, "")


def _to_blame(foundation: JsonObject, options: JsonObject) -> list[str]:
    """The options without any one of which the others could stand; else all of them."""

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


def check_file(file: Path, extra_dirs: Sequence[Path] = ()) -> Rules:
    """The rules of a variant file that is to be added, looked at strictly."""
    raw = read_file(file)
    problems = []
    if isinstance(raw.get("id"), str) and raw["id"] != file.stem:
        problems.append(fault(("id",), f"the file must be called {shown(raw['id'])}.toml.", file))
    return _checked(raw, file, Catalogue([SHIPPED, *map(Path, extra_dirs)]), problems).rules


@dataclass(frozen=True, slots=True)
class CheckedVariant:
    """A variant file that can stand: its text as TOML, and what became of it.

    `foundation` are its rules before its `options`; `base` is what it extends, or nothing.
    """

    variant: Variant
    raw: Mapping[str, Any]
    base: str
    foundation: Mapping[str, Any]
    options: Mapping[str, Any]
    rules: Rules


def check_text(text: bytes, name: str, extra_dirs: Sequence[Path] = ()) -> CheckedVariant:
    """Look at a variant file that somebody sent, as strictly as at one that is to be added.

    Messages call it by its `name`; nothing is read under that name.
    """
    raw, file = read_text(text, Path(name)), Path(name)
    return _checked(raw, file, Catalogue([SHIPPED, *map(Path, extra_dirs)]), [])


def _checked(
    raw: JsonObject, file: Path, shipped: Catalogue, problems: list[Problem]
) -> CheckedVariant:
    """Look at a file in a catalogue of its own, which it joins."""
    is_itself = raw.get("id") in shipped.ids and shipped.variant(raw["id"]).file
    if not (is_itself and file.is_file() and is_itself.samefile(file)):
        shipped.add(file, raw)
    variant_id = raw["id"]
    problems = [*shipped.faults(variant_id), *problems]
    if not shipped.variant(variant_id).sources:
        problems.append(fault(("sources",), "say where the rule comes from.", file))
    if problems:
        raise Refused(*problems)
    return CheckedVariant(
        shipped.variant(variant_id), raw, raw.get("extends", ""), shipped.foundation(variant_id),
        shipped.chosen(variant_id), shipped.rules(variant_id),
    )  # fmt: skip
