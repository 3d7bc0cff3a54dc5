"""Lines of the change log about an evening, in words: who was there, and who sat where."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.entry.sheet import seat_names
from scoring.errors import one_stop
from tournaments.selectors.events.change_log import (
    ATTENDANCE_KIND,
    SEATING_KIND,
    ChangeLine,
    EveningCheckIns,
)
from tournaments.selectors.hands.score_sheet_views import COMPASS
from tournaments.templatetags.points import day

ROUNDS: Final[Mapping[str, tuple[str | Promise, str | Promise]]] = {
    "from_round": (
        gettext_lazy("plays from round %(number)s"),
        gettext_lazy("plays from the start"),
    ),
    "leaves_after_round": (
        gettext_lazy("leaves after round %(number)s"),
        gettext_lazy("stays until the end"),
    ),
}
"""A fact of a line of attendance → how a number is written, and how none is."""


def people_in(lines: Iterable[ChangeLine]) -> set[str]:
    """Return the ids of the players whom lines about evenings name."""
    found = set()
    for line in lines:
        if line.kind == ATTENDANCE_KIND:
            found.add(str(line.facts["player"]))
            found |= {player for player, _at, _to in stated_of(line)}
        elif line.kind == SEATING_KIND:
            found |= line.facts["after"].keys()
    return found


def stated_of(line: ChangeLine) -> Sequence[tuple[str, datetime, str]]:
    """Return the check-ins and answers that a line stands for: id of the player, when, state."""
    return line.check_ins.statements if line.check_ins is not None else ()


def check_ins_in_words(line: ChangeLine, found: EveningCheckIns) -> str:
    """Return for which evening a line of check-ins is, and how many came."""
    facts = {
        "date": day(date.fromisoformat(str(line.facts["date"]))),
        "n": found.n_here,
        "answers": found.n_answers,
    }
    text = _("Attendance on %(date)s: %(n)s checked in") % facts
    if not found.n_answers:
        return text
    more = ngettext(
        "%(answers)s answer from others", "%(answers)s answers from others", found.n_answers
    )
    return f"{text}, {more % facts}"


def attendance_in_words(line: ChangeLine, names: Mapping[str, str]) -> str:
    """Return of whom, and for which evening, a line of attendance is."""
    code = str(line.facts["player"])
    facts = {
        "player": names.get(code, code),
        "date": day(date.fromisoformat(str(line.facts["date"]))),
    }
    if line.facts.get("guest"):
        return _("Attendance of %(player)s (guest) on %(date)s") % facts
    return _("Attendance of %(player)s on %(date)s") % facts


def rounds_in_words(line: ChangeLine) -> tuple[tuple[str, str, str], ...]:
    """Return which rounds a line of attendance is about: no name, nothing before, and the words."""
    if "outdated" in line.facts:
        return ()
    return tuple(
        ("", "", str(one if line.facts[key] else none) % {"number": line.facts[key]})
        for key, (one, none) in ROUNDS.items()
        if key in line.facts
    )


def moves_in_words(line: ChangeLine, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return of everybody whose place changed: where they were, and where they are."""
    before, after = line.facts["before"], line.facts["after"]
    sizes = line.facts.get("sizes", {})
    return tuple(
        one_stop(
            _("%(player)s: %(old)s → %(new)s.")
            % {
                "player": names.get(code, code),
                "old": _place(before[code], sizes.get("before", {})),
                "new": _place(after[code], sizes.get("after", {})),
            }
        )
        for code in after
    )


def _place(place: object, sizes: Mapping[str, int]) -> str:
    if isinstance(place, list):
        table, seat = place
        labels = seat_names(sizes.get(str(table), 0))
        if seat <= len(labels) and labels[seat - 1] in COMPASS:
            label = COMPASS[labels[seat - 1]]
            return _("table %(table)s, %(seat)s") % {"table": table, "seat": label}
        return _("table %(table)s, seat %(seat)s") % {"table": table, "seat": seat}
    return _("sits out") if place is not None else _("no seat")
