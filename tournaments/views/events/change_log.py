"""Lines of the change log about an evening, in words: attendance and seating."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Final

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.entry.sheet import seat_names
from scoring.errors import one_stop
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import EVENT_SETTINGS
from tournaments.domain.name_matching import listed_people
from tournaments.domain.standings.counting_release import COUNTED_ANEW
from tournaments.domain.standings.criteria import list_criteria
from tournaments.models.clubs import ROLES
from tournaments.models.events import Event
from tournaments.models.rounds import EndedBy
from tournaments.selectors.clubs.names import names_by_id
from tournaments.selectors.events.change_log import (
    ATTENDANCE_KIND,
    CHANGE_KIND,
    CONTINUE_KIND,
    END_KIND,
    EXCUSE_KIND,
    MOVE_KIND,
    OF_EVENINGS,
    OF_HANDS,
    PLAN_KIND,
    ROUND_KINDS,
    SEATING_KIND,
    ChangeLine,
    change_page,
)
from tournaments.selectors.events.entrants import ledger_rows, names_of_entrants
from tournaments.selectors.hands.decisions import listed
from tournaments.selectors.hands.entry_display import SeatEntry, displayed_entry
from tournaments.selectors.hands.score_sheet_views import COMPASS
from tournaments.selectors.jobs.queue import computed_version
from tournaments.selectors.playoffs.playoffs import playoffs_of
from tournaments.selectors.rounds.round_names import names_on_page, round_label
from tournaments.services.events.adjustments import penalties_add
from tournaments.templatetags.points import day
from tournaments.views.hands.change_players import moves_of
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.hands.move_hands import move_in_words
from tournaments.views.http.decorators import event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_event
from tournaments.views.playoffs.playoff_text import drawn_order

ROUNDS: Final = {
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

CHANGE_WORDS: Final = {
    "attendance": gettext_lazy("Attendance"),
    "excuse": gettext_lazy("Excused or not"),
    "seating": gettext_lazy("Seats changed"),
    "meeting": gettext_lazy("Evening changed"),
    "correct_hand": gettext_lazy("Hand corrected"),
    "change_players": gettext_lazy("Players changed"),
    "move_hands": gettext_lazy("Hands moved"),
    "void_hand": gettext_lazy("Hand deleted"),
    "restore_hand": gettext_lazy("Hand restored"),
    "choose_plan": gettext_lazy("Seating plan chosen"),
    "post_round": gettext_lazy("Round posted"),
    "close_round": gettext_lazy("Round closed"),
    "unpost_round": gettext_lazy("Round unposted"),
    "reopen_round": gettext_lazy("Round reopened"),
    "close_event": gettext_lazy("Event closed"),
    "reopen_event": gettext_lazy("Event reopened"),
    "names": gettext_lazy("Names changed, places are the same"),
    "counted_anew": gettext_lazy("Counted anew"),
    "finalise_event": gettext_lazy("Event made final"),
    "undo_import": gettext_lazy("Import undone"),
    "settings": gettext_lazy("Settings changed"),
    "penalty": gettext_lazy("Penalty"),
    "bonus": gettext_lazy("Bonus"),
    "withdrawn_line": gettext_lazy("Penalty or bonus withdrawn"),
    "opening_values": gettext_lazy("Values from before added"),
    "withdrawn_opening_values": gettext_lazy("Values from before withdrawn"),
    "withdraw_entrant": gettext_lazy("Withdrawn"),
    "merge_players": gettext_lazy("Players merged"),
    "undo_merge": gettext_lazy("Merge of players undone"),
    "return_entrant": gettext_lazy("Reinstated"),
    "admit_guest": gettext_lazy("Guest became a member"),
    "make_guest": gettext_lazy("Member made a guest"),
    "make_cut": gettext_lazy("Cut created"),
    "undo_cut": gettext_lazy("Cut undone"),
    "plan_stage": gettext_lazy("Stage planned"),
    "change_stage": gettext_lazy("Stage changed"),
    "move_stage": gettext_lazy("Order of stages changed"),
    "remove_stage": gettext_lazy("Stage removed"),
    "begin_stage": gettext_lazy("Stage begun"),
    "walk_over": gettext_lazy("Walk-over"),
    "undo_walk_over": gettext_lazy("Walk-over undone"),
    "keep_cut": gettext_lazy("Qualifiers kept"),
    "redo_cut": gettext_lazy("Cut repeated"),
    "playoff": gettext_lazy("Play-off continued"),
    "keep_playoff": gettext_lazy("Play-off result kept"),
    "ruling": gettext_lazy("Ruling on a dispute"),
    "challenge": gettext_lazy("Challenge decided"),
    "void_challenge": gettext_lazy("Challenge voided"),
    "void_result": gettext_lazy("Challenge result withdrawn"),
    "turn_result": gettext_lazy("Challenge has another winner: the new loser is asked to confirm"),
    "sweep": gettext_lazy("Places lost through inactivity"),
    "remove_member": gettext_lazy("Member removed from the ladder: away too long"),
    "return_member": gettext_lazy("Member back on the ladder at the bottom"),
}
"""Kind of a change → what is said of it; any other is shown as it is."""

ENDS: Final[Mapping[str, Promise]] = {
    EndedBy.PERSON: gettext_lazy("Evening of %(day)s closed"),
    EndedBy.HOUR: gettext_lazy("Evening of %(day)s ended by itself, an hour after its last round"),
    EndedBy.NOON: gettext_lazy("Evening of %(day)s ended by itself at noon"),
}
"""How an evening ended → what is said of it."""

PLAYOFFS: Final = {
    "decided": gettext_lazy("Play-off decided"),
    "by_lot": gettext_lazy("Play-off decided by lot"),
    "void": gettext_lazy("Play-off voided"),
    "waived": gettext_lazy("Play-off waived: places shared"),
}
"""State of a finished play-off → its words; other states go on."""

STATE_WORDS: Final = {
    "planned": gettext_lazy("planned"),
    "cancelled": gettext_lazy("cancelled"),
    "removed": gettext_lazy("removed"),
    "expected": gettext_lazy("expected"),
    "here": gettext_lazy("here"),
    "late": gettext_lazy("late"),
    "left": gettext_lazy("left"),
    "absent": gettext_lazy("absent"),
    "waiting": gettext_lazy("waiting for a place"),
    "draft": gettext_lazy("draft"),
    "open": gettext_lazy("open"),
    "playing": gettext_lazy("in progress"),
    "closed": gettext_lazy("closed"),
    "final": gettext_lazy("final"),
    "active": gettext_lazy("active"),
    "withdrawn": gettext_lazy("withdrawn"),
    "detected": gettext_lazy("to be prepared"),
    "scheduled": gettext_lazy("to be played"),
    "in_play": gettext_lazy("in progress"),
    "decided": gettext_lazy("decided"),
    "by_lot": gettext_lazy("decided by lot"),
    "void": gettext_lazy("void"),
    "waived": gettext_lazy("shared"),
    "None": gettext_lazy("none"),
    "True": gettext_lazy("yes"),
    "False": gettext_lazy("no"),
}
"""A state → how a line of the log writes it."""

MAKERS: Final[Mapping[str, Promise]] = {
    **ROLES,
    "link": gettext_lazy("at the table"),
    "clock": gettext_lazy("automatic deadline"),
    "policy": gettext_lazy("the event’s settings"),
    "upgrade": gettext_lazy("an upgrade of the service"),
}


def _people_in(lines: Iterable[ChangeLine]) -> set[str]:
    ids = set()
    for line in lines:
        if line.kind == ATTENDANCE_KIND:
            ids.add(str(line.facts["player"]))
            ids |= {player for player, _at, _to in _stated_of(line)}
        elif line.kind == EXCUSE_KIND:
            ids.add(str(line.facts["player"]))
        elif line.kind == SEATING_KIND:
            ids |= line.facts["after"].keys()
    return ids


def _stated_of(line: ChangeLine) -> Sequence[tuple[str, datetime, str]]:
    if line.check_ins is None:
        return ()
    return line.check_ins[2]


def _check_ins_in_words(line: ChangeLine, n_here: int, n_answers: int) -> str:
    facts = {
        "date": day(date.fromisoformat(str(line.facts["date"]))),
        "n": n_here,
        "answers": n_answers,
    }
    text = _("Attendance on %(date)s: %(n)s checked in") % facts
    if not n_answers:
        return text
    more = ngettext("%(answers)s answer from others", "%(answers)s answers from others", n_answers)
    return f"{text}, {more % facts}"


def _rounds_in_words(line: ChangeLine) -> tuple[tuple[str, str, str], ...]:
    """Return which rounds a line of attendance is about: no name, nothing before, and the words."""
    if "outdated" in line.facts:
        return ()
    return tuple(
        ("", "", str(some if line.facts[key] else none) % {"number": line.facts[key]})
        for key, (some, none) in ROUNDS.items()
        if key in line.facts
    )


def _moves_in_words(line: ChangeLine, names: Mapping[str, str]) -> tuple[str, ...]:
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
    return _("sitting out") if place is not None else _("no seat")


@event_page("read_public")
def changes(request: PageRequest, event: Event) -> HttpResponse:
    before = number_in(request.GET.get("before", ""))
    lines, following = change_page(event, before=before)
    context = {
        "lines": lines_in_words(event, lines),
        "before": following,
        "computed": computed_version(event),
        "csv": f"/api/v1{request.path}.csv",
        "is_first": "before" not in request.GET,
    }
    return render_event(request, "events/change_log.html", event, context)


def lines_in_words(event: Event, lines: Sequence[ChangeLine]) -> tuple[JsonDict, ...]:
    adjustments: dict[int, JsonDict] = {}
    if any("line" in line.facts for line in lines):
        rows = ledger_rows(event, penalties_add=penalties_add(event))
        adjustments = {row["number"]: row for row in rows}
    level: dict[int, str] = {}
    if any("playoff" in line.facts for line in lines):
        played = playoffs_of(event)
        level = {
            view.number: drawn_order(view)
            or listed_people(sorted(member.player for member in view.members), _("and"))
            for view in played
        }
    players = [line for line in lines if line.kind == CHANGE_KIND]
    moves = moves_of(event, {line.id: (line.table, line.facts) for line in players})
    names = names_by_id(event, _people_in(lines))
    entrants = {str(line.facts["entrant"]) for line in lines if "entrant" in line.facts}
    entrant_names = names_of_entrants(event, entrants)
    moves |= {line.id: _moves_in_words(line, names) for line in lines if line.kind == SEATING_KIND}
    moves |= {line.id: (move_in_words(line.facts),) for line in lines if line.kind == MOVE_KIND}
    rounds = names_on_page(event)
    return tuple(
        _line_in_words(
            line,
            rounds,
            names,
            entrant_names,
            adjustments.get(line.facts.get("line", 0)),
            level.get(line.facts.get("playoff", 0), ""),
            moves.get(line.id, ()),
        )
        for line in lines
    )


OF_NO_RESULTS: Final = (*OF_EVENINGS, "meeting", "challenge", "void_challenge", "turn_result")
"""Kinds of changes that no standings show: of evenings, seats and challenges."""


def _line_in_words(
    line: ChangeLine,
    rounds: Mapping[int, str],
    names: Mapping[str, str],
    entrant_names: Mapping[str, str],
    about: JsonDict | None,
    level: str,
    moves: tuple[str, ...],
) -> JsonDict:
    """Return a line in words, as `events/_change_row.html` shows it.

    `about` is its penalty or bonus, `level` the tied entrants of the play-off, `moves` the new
    players by seat; `seats` (label, from, to) differ, None where the hand is void; `statements`
    (name, when, state) are its check-ins; `words` (name, from, to) other differences.
    """
    text = str(CHANGE_WORDS.get(line.kind, line.kind.replace("_", " ")))
    if line.kind == "restore_hand" and line.facts.get("is_new"):
        text = _("Hand entered")
    if line.kind == "playoff":
        text = str(PLAYOFFS.get(str(line.facts.get("new")), text))
    if line.kind in ("meeting", PLAN_KIND):
        text += ": " + day(date.fromisoformat(str(line.facts["date"])))
    if "round" in line.facts:
        text += ": " + _("round %(number)s") % {"number": round_label(line.facts["round"], rounds)}
    if line.kind in (END_KIND, CONTINUE_KIND):
        text = _evening_in_words(line, rounds)
    if line.kind == COUNTED_ANEW:
        text = ngettext(
            "Counted anew by release %(release)s: %(n)s place changed",
            "Counted anew by release %(release)s: %(n)s places changed",
            line.facts["moved"],
        ) % {"release": line.facts["release"], "n": line.facts["moved"]}
    if line.kind == "undo_import":
        text = _("Import %(number)s undone") % {"number": line.facts["import"]}
    if line.kind == ATTENDANCE_KIND:
        text = _attendance(line, names)
    if line.kind == EXCUSE_KIND:
        text = _excuse(line, names)
    entrant = str(line.facts.get("entrant", ""))
    statements: tuple[tuple[str, datetime, str], ...] = ()
    if line.check_ins is not None:
        text = _check_ins_in_words(line, *line.check_ins[:2])
        line.by = ""
        statements = tuple(
            (names.get(player, player), at, _state(to)) for player, at, to in _stated_of(line)
        )
    return {
        "line": line,
        "what": text,
        "by": str(MAKERS.get(line.by, line.by)),
        "about": about,
        "entrant": entrant_names.get(entrant, entrant),
        "level": level,
        "moves": moves,
        "seats": _seats(line),
        "statements": statements,
        "words": _words(line),
        "code": line.table if line.number is not None else "",
        "is_of_results": line.kind not in OF_NO_RESULTS,
    }


def _evening_in_words(line: ChangeLine, names: Mapping[int, str]) -> str:
    """Return how an evening ended, or which rounds continued it."""
    facts = {"day": day(date.fromisoformat(str(line.facts["date"])))}
    if line.kind == END_KIND:
        return str(ENDS[line.facts["by"]]) % facts
    rounds = line.facts["rounds"]
    text = ngettext(
        "Evening of %(day)s continued: round %(rounds)s",
        "Evening of %(day)s continued: rounds %(rounds)s",
        len(rounds),
    )
    return text % {**facts, "rounds": listed([round_label(number, names) for number in rounds])}


def _attendance(line: ChangeLine, names: Mapping[str, str]) -> str:
    code = str(line.facts["player"])
    facts = {
        "player": names.get(code, code),
        "date": day(date.fromisoformat(str(line.facts["date"]))),
    }
    text = (
        _("Attendance of %(player)s (guest) on %(date)s")
        if line.facts.get("guest")
        else _("Attendance of %(player)s on %(date)s")
    ) % facts
    if "outdated" not in line.facts:
        return text
    facts = {"text": text, "state": _state(line.facts["outdated"])}
    return _("%(text)s: “%(state)s” came in after a newer statement and does not count") % facts


def _excuse(line: ChangeLine, names: Mapping[str, str]) -> str:
    code = str(line.facts["player"])
    text = _("%(player)s may be excused for %(date)s by their answer")
    if line.facts["excused"] is True:
        text = _("%(player)s is excused for %(date)s")
    elif line.facts["excused"] is False:
        text = _("%(player)s is not excused for %(date)s")
    return text % {
        "player": names.get(code, code),
        "date": day(date.fromisoformat(str(line.facts["date"]))),
    }


def _seats(line: ChangeLine) -> tuple[tuple[str, SeatEntry | None, SeatEntry | None], ...]:
    if line.kind != "correct_hand" or not (line.before and line.after):
        return ()
    lengths = [len(values) for values in line.after.values() if isinstance(values, list)]
    n_seats = sum(map(len, line.sides)) or max(lengths, default=0)
    was, will = (
        displayed_entry(entry, n_seats, sides=line.sides).seats
        for entry in (line.before, line.after)
    )
    labels = seat_names(n_seats) if n_seats else ()
    return tuple(
        ("–".join(labels[seat] for seat in side), was[side[0]], will[side[0]])
        for side in line.sides or [[seat] for seat in range(n_seats)]
        if was[side[0]] != will[side[0]]
    )


_WITHOUT_WORDS: Final = (CHANGE_KIND, MOVE_KIND, SEATING_KIND, *ROUND_KINDS.values())
"""Kinds whose lines need no words of what was before and after."""


def _words(line: ChangeLine) -> tuple[tuple[str, str, str], ...]:
    is_new = bool(line.facts.get("is_new"))
    if line.kind in _WITHOUT_WORDS or line.check_ins is not None or is_new:
        return ()
    if isinstance(line.before, dict) and isinstance(line.after, dict):
        if line.kind in OF_HANDS:
            return ()
        return tuple(
            (_setting(key), _value(line.before[key]), _value(line.after[key])) for key in line.after
        )
    if line.kind in OF_HANDS:
        void, counts = _("deleted"), _("counts")
        return (("", counts, void),) if line.kind == "void_hand" else (("", void, counts),)
    if line.kind == ATTENDANCE_KIND:
        rounds = _rounds_in_words(line)
        if line.before == line.after:
            return rounds
        before = _state(line.before) if line.before else _("not asked")
        return (("", before, _state(line.after)), *rounds)
    if line.before is None or line.after is None or line.before == line.after:
        return ()
    return (("", _state(line.before), _state(line.after)),)


def _setting(key: str) -> str:
    setting = EVENT_SETTINGS.get(key)
    return str(setting.label if setting else "") or key.replace("_", "-").capitalize()


def _value(value: object) -> str:
    if isinstance(value, dict):
        value = [f"{key} {part}" for key, part in value.items()]
    if isinstance(value, list):
        return ", ".join(map(_value, value)) or _("none")
    criteria = {criterion.key: criterion.name for criterion in list_criteria()}
    return criteria.get(str(value)) or _state(value)


def _state(key: object) -> str:
    return str(STATE_WORDS.get(str(key), str(key)))
