"""Looking at a variant file that is to be added: a file, or the text that somebody sent.

Pure but for reading the file that is asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonObject
from scoring.rules.catalogue import SHIPPED, Catalogue
from scoring.rules.rules import Rules
from scoring.rules.variant_files import Variant, fault, read_file, read_text


def check_file(file: Path, extra_dirs: Sequence[Path] = ()) -> Rules:
    """The rules of a variant file that is to be added, looked at strictly.

    Raises:
        Refused: bad_rules, every fault that was found; unknown_option, bad_option.
    """
    raw = read_file(file)
    problems = []
    if isinstance(raw.get("id"), str) and raw["id"] != file.stem:
        problems.append(fault(("id",), f"the file must be called {shown(raw['id'])}.toml.", file))
    return _checked(raw, file, Catalogue([SHIPPED, *map(Path, extra_dirs)]), problems).rules


@dataclass(frozen=True, slots=True)
class Checked:
    """A variant file that can stand: its text as TOML, and what became of it.

    `foundation` are its rules before its `options`; `base` is what it extends, or nothing.
    """

    variant: Variant
    raw: Mapping[str, Any]
    base: str
    foundation: Mapping[str, Any]
    options: Mapping[str, Any]
    rules: Rules


def check_text(text: bytes, name: str, extra_dirs: Sequence[Path] = ()) -> Checked:
    """Look at a variant file that somebody sent, as strictly as at one that is to be added.

    Args:
        name: what the file is called in what is said about it; nothing is read under that name.

    Raises:
        Refused: as `check_file`.
    """
    raw, file = read_text(text, Path(name)), Path(name)
    return _checked(raw, file, Catalogue([SHIPPED, *map(Path, extra_dirs)]), [])


def _checked(raw: JsonObject, file: Path, known: Catalogue, problems: list[Problem]) -> Checked:
    """Look at a file in a catalogue of its own, which it joins.

    Raises:
        Refused: as `check_file`, `problems` included.
    """
    own = raw.get("id") in known.ids and known.variant(raw["id"]).file
    if not (own and file.is_file() and own.samefile(file)):
        known.add(file, raw)
    variant_id = raw["id"]
    problems = [*known.faults(variant_id), *problems]
    if not known.variant(variant_id).sources:
        problems.append(fault(("sources",), "say where the rule comes from.", file))
    if problems:
        raise Refused(*problems)
    return Checked(
        known.variant(variant_id), raw, raw.get("extends", ""), known.foundation(variant_id),
        known.chosen(variant_id), known.rules(variant_id),
    )  # fmt: skip
