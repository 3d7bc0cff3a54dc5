"""The scorer on its own: `python -m scoring score | variants | show ID | check FILE.toml`.

Exit status 0: done. 2: a case was refused, or the input or the file cannot be read; the reasons are
on stderr.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from scoring.cases import answer, lines
from scoring.entry.sheet import hand_total
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.numbers import score_json
from scoring.rules.catalogue import Catalogue, catalogue, check_file, line_of
from scoring.rules.rules import Rules

REFUSED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    parsed = _parser().parse_args(arguments)
    try:
        variants = catalogue(parsed.variants_dir)
        if variants.bad_files and parsed.run is not _check:
            _complain(why for _, _, why in variants.bad_files)
            return REFUSED
        status: int = parsed.run(variants, parsed)
    except Refused as refused:
        _complain(_line(problem) for problem in refused.problems)
        return REFUSED
    except BrokenPipeError:
        sys.stderr.close()
        return REFUSED
    return status


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--variants",
        metavar="DIR",
        dest="variants_dir",
        action="append",
        type=Path,
        default=[],
        help="a further directory of variant files; may be given more than once",
    )
    parser = argparse.ArgumentParser(
        prog="python -m scoring", description="Score Hearts hands under any rules."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    score = commands.add_parser("score", parents=[shared], help="score cases from standard input")
    score.set_defaults(run=_score)
    variants = commands.add_parser("variants", parents=[shared], help="list the catalogue")
    variants.add_argument("--ids", action="store_true", help="ids only")
    variants.set_defaults(run=_variants)
    show = commands.add_parser("show", parents=[shared], help="print a variant's resolved rules")
    show.add_argument("id", metavar="ID")
    show.set_defaults(run=_show)
    check = commands.add_parser("check", parents=[shared], help="look at a new variant file")
    check.add_argument("file", metavar="FILE.toml", type=Path)
    check.set_defaults(run=_check)
    return parser


def _score(variants: Catalogue, parsed: argparse.Namespace) -> int:
    refused = False
    is_lines, cases = _read(sys.stdin.buffer)
    if cases is None:
        return REFUSED
    for document in _write(is_lines, (answer(variants, case) for case in cases)):
        errors = lines(document)
        _complain(errors)
        refused = refused or bool(errors)
    return REFUSED if refused else 0


def _write(is_lines: bool, answers: Iterable[JsonDict]) -> Iterator[JsonDict]:
    """Write each answer and yield it: one a line, within an array or as JSON Lines."""
    before = "" if is_lines else "[\n"
    for document in answers:
        sys.stdout.write(before + json.dumps(document, separators=(", ", ": ")))
        before = "\n" if is_lines else ",\n"
        yield document
    if is_lines:
        sys.stdout.write("\n")
    elif before == "[\n":
        sys.stdout.write("[]\n")
    else:
        sys.stdout.write("\n]\n")


def _read(stream: BinaryIO) -> tuple[bool, Iterable[object] | None]:
    """Whether the input is JSON Lines, and its cases; None for the cases where it is not JSON."""
    first = stream.readline()
    while first and not first.strip():
        first = stream.readline()
    second = b""
    head = _parsed(first.removeprefix(b"\xef\xbb\xbf"))
    if not first.lstrip(b"\xef\xbb\xbf \t").startswith(b"["):
        second = next((line for line in stream if line.strip()), b"")
        if isinstance(head, dict) and not second:
            return False, [head]
        if isinstance(head, dict) or isinstance(_parsed(second), dict):
            rest = (_parsed(line) for line in chain([second], stream) if line.strip())
            return True, chain([head], rest)
    try:
        whole = json.loads(
            (first + second + stream.read()).decode("utf-8-sig"), parse_float=_Number
        )
    except (ValueError, RecursionError) as error:
        _complain([f"The input is not JSON: {str(error)[:200]}"])
        return False, None
    return False, whole if isinstance(whole, list) else [whole]


class _Number(float):
    """A number with a point or an exponent, shown as it was written; no score is one."""

    def __new__(cls, text: str) -> "_Number":
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str

    def __repr__(self) -> str:
        return self.text


def _parsed(line: bytes) -> object:
    """The case of a line; a text where it is not JSON, which is refused as no case."""
    try:
        return json.loads(line.decode(), parse_float=_Number)
    except (ValueError, RecursionError):
        return "not JSON"


def _variants(variants: Catalogue, parsed: argparse.Namespace) -> int:
    for variant_id in variants.ids:
        variant = variants.variant(variant_id)
        print(variant_id if parsed.ids else f"{variant_id}  {variant.name}. {variant.summary}")
    return 0


def _show(variants: Catalogue, parsed: argparse.Namespace) -> int:
    _print_rules(variants.rules(variants.find(parsed.id)))
    return 0


def _check(variants: Catalogue, parsed: argparse.Namespace) -> int:
    try:
        rules = check_file(parsed.file, parsed.variants_dir)
    except Refused as refused:
        text = parsed.file.read_text(errors="replace") if parsed.file.is_file() else ""
        _complain(
            f"{parsed.file}:{line_of(text, problem)}: {_line(problem)}"
            for problem in refused.problems
        )
        return REFUSED
    _print_rules(rules)
    return 0


def _print_rules(rules: Rules) -> None:
    totals = {str(seats): score_json(hand_total(rules, seats)) for seats in rules.table_sizes}
    document = rules.as_json() | {"deal_total": totals, "content_hash": rules.content_hash}
    print(json.dumps(document, indent=1, ensure_ascii=True))


def _line(problem: Problem) -> str:
    close = [str(hint.facts["name"]) for hint in problem.suggestions if hint.code == "closest"]
    near = f" Closest: {', '.join(close)}." if close else ""
    return f"{problem.code}: {problem.message}{near}"


def _complain(messages: Iterable[str]) -> None:
    for line in messages:
        plain = line.replace("\u2212", "-")  # a terminal may know ASCII only
        sys.stderr.write(plain.encode("ascii", "backslashreplace").decode() + "\n")


if __name__ == "__main__":
    sys.exit(main())
