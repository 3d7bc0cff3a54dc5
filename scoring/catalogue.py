"""The catalogue: the variant files of `data/variants`, and of further directories, as rules.

Pure but for reading those files. The directory is the registry: a new file is a new variant
everywhere.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from scoring.cards import SUIT_SIGNS
from scoring.errors import Problem, Refused, Suggestion, shown
from scoring.options import bad_option, with_options
from scoring.prepared import faults_of_dealing
from scoring.rules import Rules, canonical

SHIPPED = Path(__file__).parent / "data" / "variants"
_ABOUT = ("aliases", "summary", "sources", "status", "extends", "notes")
_SIGNS = str.maketrans({sign: letter for letter, sign in SUIT_SIGNS.items()})
_LARGEST_FILE = 200_000


@dataclass(frozen=True, slots=True)
class Variant:
    """What is said about a variant beside its rules."""

    id: str
    name: str
    aliases: tuple[str, ...]
    summary: str
    sources: tuple[str, ...]
    status: str
    file: Path


class Catalogue:
    """The variants of some directories. Get one from `catalogue()`, which keeps it."""

    def __init__(self, directories: Sequence[Path]) -> None:
        self._raw: dict[str, Mapping[str, Any]] = {}
        self._variants: dict[str, Variant] = {}
        self._names: dict[str, str] = {}
        self._resolved: dict[str, Mapping[str, Any]] = {}
        self._rules: dict[str, Rules] = {}
        for directory in directories:
            for file in sorted(directory.glob("*.toml")):
                self._add(file, read_file(file))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all variants, sorted."""
        return tuple(sorted(self._variants))

    def variant(self, variant_id: str) -> Variant:
        """What is said about the variant.

        Raises:
            Refused: unknown_variant.
        """
        return self._variants[self.find(variant_id)]

    def find(self, text: str) -> str:
        """The id of the variant that `text` means: its id, name or an alias, in any spelling.

        Raises:
            Refused: unknown_variant, with the closest names.
        """
        found = self._names.get(folded(text)) if isinstance(text, str) else None
        if found is None:
            raise Refused(self._unknown(text))
        return found

    def rules(self, variant_id: str, options: Mapping[str, Any] | None = None) -> Rules:
        """The variant's rules with the options on them.

        Raises:
            Refused: unknown_variant, unknown_option, bad_option.
        """
        found = self.find(variant_id)
        if not options:
            if found not in self._rules:
                self._rules[found] = Rules.from_json(self.resolved(found))
            return self._rules[found]
        data = self.resolved(found)
        try:
            return _with_options(canonical(data), json.dumps(options, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            why = "It cannot be written as JSON."
            raise Refused(bad_option("options", "that", why)) from error

    def resolved(self, variant_id: str) -> Mapping[str, Any]:
        """The variant's rules as JSON, with what it takes over from the variant that it extends.

        Raises:
            Refused: bad_rules where the chain of `extends` leads nowhere or round in a ring.
        """
        if variant_id not in self._resolved:
            self._resolved[variant_id] = {**self._resolve(variant_id, ()), "options": {}}
        return self._resolved[variant_id]

    def _resolve(self, variant_id: str, seen: tuple[str, ...]) -> dict[str, Any]:
        raw = self._raw.get(variant_id)
        if raw is None or variant_id in seen:
            why = f"{shown(variant_id)} is no variant that can be extended here."
            raise Refused(Problem("bad_rules", ("extends",), {"key": "extends", "why": why}))
        own = {key: value for key, value in raw.items() if key not in _ABOUT}
        if "extends" not in raw:
            return own
        return {**self._resolve(raw["extends"], (*seen, variant_id)), **own}

    def _add(self, file: Path, raw: Mapping[str, Any]) -> None:
        variant = _variant(file, raw)
        for text in (variant.id, variant.name, *variant.aliases):
            taken = self._names.setdefault(folded(text), variant.id)
            if taken != variant.id:
                raise Refused(_fault(("id",), f"{shown(text)} already means {taken}.", file))
        self._raw[variant.id] = raw
        self._variants[variant.id] = variant

    def _unknown(self, text: object) -> Problem:
        close = get_close_matches(folded(text), self._names, n=3) if isinstance(text, str) else []
        ids = dict.fromkeys(self._names[name] for name in close)
        return Problem(
            "unknown_variant",
            ("variant",),
            {"found": shown(text)},
            tuple(Suggestion("closest", facts={"name": name}) for name in ids),
        )


@lru_cache(maxsize=16)
def _kept(directories: tuple[Path, ...]) -> Catalogue:
    return Catalogue(directories)


def catalogue(extra_dirs: Sequence[Path] = ()) -> Catalogue:
    """The shipped variants and those of further directories; read once for each list.

    Raises:
        Refused: bad_rules, where a file cannot be read or a name is taken.
    """
    return _kept((SHIPPED, *map(Path, extra_dirs)))


@lru_cache(maxsize=1024)
def _with_options(text: str, option_text: str) -> Rules:
    options = json.loads(option_text)
    resolved = with_options(json.loads(text), options)
    try:
        return Rules.from_json(resolved)
    except Refused as refused:
        why = " ".join(problem.message for problem in refused.problems)
        names = list(options)
        raise Refused(*[bad_option(name, options[name], why) for name in names[:1]]) from refused


def folded(text: str) -> str:
    """The text without case, blanks and punctuation, suit signs as letters.

    >>> folded("Omnibus J♦"), folded("omnibus-jd")
    ('omnibusjd', 'omnibusjd')
    """
    return "".join(letter for letter in text.translate(_SIGNS).casefold() if letter.isalnum())


def read_file(file: Path) -> Mapping[str, Any]:
    """A variant file as TOML.

    Raises:
        Refused: bad_rules, where it cannot be read; the sentence names the line.
    """
    try:
        data = file.read_bytes()
        if len(data) > _LARGEST_FILE:
            raise Refused(_fault((), "the file is too large for a variant.", file))
        return tomllib.loads(data.decode())
    except OSError as error:
        raise Refused(_fault((), f"the file cannot be read ({error.strerror}).", file)) from error
    except (ValueError, RecursionError) as error:
        raise Refused(_fault((), f"this is not TOML: {error}.", file)) from error


def check_file(file: Path, extra_dirs: Sequence[Path] = ()) -> Rules:
    """The rules of a variant file that is to be added, looked at strictly.

    Raises:
        Refused: bad_rules, every fault that was found.
    """
    raw = read_file(file)
    known = Catalogue([SHIPPED, *map(Path, extra_dirs)])
    if not (raw.get("id") in known.ids and known.variant(raw["id"]).file.samefile(file)):
        known._add(file, raw)
    rules = known.rules(raw["id"])
    problems = [_fault(at, why, file) for at, why in faults_of_dealing(rules)]
    if raw["id"] != file.stem:
        problems.append(_fault(("id",), f"the file must be called {raw['id']}.toml.", file))
    if not known.variant(raw["id"]).sources:
        problems.append(_fault(("sources",), "say where the rule comes from.", file))
    if problems:
        raise Refused(*problems)
    return rules


def _variant(file: Path, raw: Mapping[str, Any]) -> Variant:
    def text(key: str) -> str:
        value = raw.get(key, "")
        if not isinstance(value, str):
            raise Refused(_fault((key,), f"{shown(value)} is no text.", file))
        return value

    def texts(key: str) -> tuple[str, ...]:
        value = raw.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Refused(_fault((key,), f"{shown(value)} is no list of texts.", file))
        return tuple(value)

    if not text("id") or not text("name"):
        raise Refused(_fault(("id",), "a variant has an id and a name.", file))
    return Variant(
        text("id"), text("name"), texts("aliases"), text("summary"), texts("sources"),
        text("status"), file,
    )  # fmt: skip


def _fault(at: tuple[str | int, ...], why: str, file: Path) -> Problem:
    key = ".".join(map(str, at)) or "file"
    return Problem("bad_rules", at, {"key": key, "why": why, "file": file.name})
