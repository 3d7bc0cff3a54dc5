"""Plain text in short lines for a chat: seating, results, due challenges, who is expected.

Names are those that the reader of the event reads. The chat of a webhook gets the same text;
`plain` escapes names for it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from textwrap import wrap
from typing import Any, Final, TypeAlias

from django.conf import settings
from django.utils import formats
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.json_types import JsonDict
from scoring.standings.explain import tie_break_reason
from tournaments.domain.figures import place_text, points
from tournaments.domain.standings.evening_outcomes import of_consolation_sentence
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.ladders import ChallengeState
from tournaments.models.rounds import AttendanceState, Meeting, Round, Sitting
from tournaments.models.standings import Publication
from tournaments.policy import ANYBODY
from tournaments.selectors.attendance.attendance_list import AttendanceList, attendance_of
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events.entrants import sit_outs_in
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import is_going_on
from tournaments.selectors.ladders.announced_moves import moves_being_corrected
from tournaments.selectors.ladders.challenges import (
    ChallengeRow,
    by_when,
    challenge_lines,
    open_challenge_rows,
)
from tournaments.selectors.ladders.ladder_evenings import (
    LadderEvening,
    challenge_sentence,
    first_sentence,
    ladder_evening,
)
from tournaments.selectors.ladders.ladder_page import newest_ladder
from tournaments.selectors.rounds.round_names import label_of_round
from tournaments.selectors.standings.ended_evenings import (
    being_corrected_sentence,
    find_ended_evening,
)
from tournaments.selectors.standings.evening_corrections import shared_first_sentence
from tournaments.selectors.standings.evenings import evening_table
from tournaments.selectors.standings.history import NothingPlayed, get_trends, table_as_of
from tournaments.selectors.standings.publications import current_publication
from tournaments.selectors.standings.short_reasons import first_places
from tournaments.selectors.standings.sorting import decimal, decimals_to_tell
from tournaments.selectors.standings.standings_view import cell_value, ranking_column

Plain: TypeAlias = Callable[[str], str]
WIDTH: Final = 60
"""Characters of a line; a phone breaks longer ones."""
PLACES: Final = 5
"""First places, and players who moved furthest up or down."""
MOST_DUE: Final = 50
"""Names, or lines of challenges; the rest is counted."""

_Move: TypeAlias = tuple[str, int, int]
"""Name, the place before, the place now."""


def seating_text(event: Event, round_: Round, plain: Plain = str) -> str:
    """Return the seating of a round, a line a table; seven queries at most."""
    rows = Sitting.objects.filter(seat__table__round=round_, to_hand__isnull=True)
    seats = rows.order_by("seat__table__number", "seat__number")
    tables: dict[int, list[str]] = {}
    for number, name in seats.values_list("seat__table__number", f"player__{name_column(event)}"):
        tables.setdefault(number, []).append(plain(name))
    lines = [
        _("Table %(number)s: %(names)s") % {"number": number, "names": ", ".join(names)}
        for number, names in tables.items()
    ]
    resting = [plain(row.name) for row in sit_outs_in(event, round_)]
    lines += [_("Sitting out: %s") % ", ".join(resting)] if resting else []
    about = _("round %s") % label_of_round(event, round_)
    return _text(event, about, lines, plain, "round", round_.number)


def result_text(
    event: Event, meeting: Meeting, plain: Plain = str, *, now: datetime, correction: str = ""
) -> str:
    """Return the first places of an evening, then those of the season after it, and who moved.

    A ladder's evening has its moves and challenges. Each part says whether it is the evening's or
    the season's. An evening that is over has the places of its newest result; while it is being
    corrected the text says so, and nothing of the season, which may have the correction already.

    Args:
        correction: what is otherwise than announced, said first of an evening that is over.
    """
    on = formats.date_format(meeting.date, "j M Y")
    if event.is_ladder:
        moves = _ladder_lines(ladder_evening(event, meeting.date), plain)
        about = _("moves of %s") % on
        lines = [*filter(None, (correction, moves_being_corrected(event, meeting))), *moves]
        return _text(event, about, lines, plain, "evening", meeting.date.isoformat())
    ended = find_ended_evening(meeting)
    first: Sequence[str] = ()
    if ended is None:
        document = json.loads(evening_table(event, meeting).body)
    else:
        document = ended.result.document
        first = list(filter(None, (correction, being_corrected_sentence(event, ended))))
    places = [
        *filter(None, [of_consolation_sentence(document)]),
        *filter(None, [shared_first_sentence(document, plain)]),
        *place_lines(document, plain),
    ]
    further: Iterable[str] = ()
    if document["evening"]["counts"] == "event":
        about = _("after the evening of %s") % on
        if is_going_on(meeting, now):
            about = _("evening of %s, so far") % on
        further = _progress_lines(document, plain)
    else:
        about = _("evening of %s") % on
        if is_going_on(meeting, now):
            about = _("evening of %s, so far") % on
        if ended is None or not ended.is_being_corrected:
            further = _season_lines(event, meeting, plain)
    lines = [*first, *places, *further]
    return _text(event, about, lines, plain, "evening", meeting.date.isoformat())


def _ladder_lines(evening: LadderEvening, plain: Plain) -> Iterable[str]:
    """Yield who is first after an evening of a ladder, who moved, and its challenges."""
    if evening.first:
        yield first_sentence(evening, plain)
    for move in evening.moves[:MOST_DUE]:
        yield f"{plain(move.player)} {move.place_before}→{move.place_after}"
    n_more = len(evening.moves[MOST_DUE:]) + evening.n_more
    if n_more:
        yield _("and %(n)s more") % {"n": n_more}
    if evening.waits:
        yield evening.waits
    elif not evening.moves:
        yield _("Nobody moved.")
    if evening.challenges:
        yield _("Challenges:")
    for row in evening.challenges[:MOST_DUE]:
        yield challenge_sentence(row, plain)
    if len(evening.challenges) > MOST_DUE:
        yield _("and %(n)s more") % {"n": len(evening.challenges) - MOST_DUE}


def _season_lines(event: Event, meeting: Meeting, plain: Plain) -> Iterable[str]:
    """Yield what an evening did to the season; nothing while that is being computed."""
    try:
        last, table = table_as_of(event, day=meeting.date)
    except NothingPlayed:
        return
    if last.day != meeting.date:
        return
    season = json.loads(table.body)
    yield _("The season after it:")
    yield from place_lines(season, plain)
    yield from _moved(_moves(event, season), plain)


def standings_text(
    event: Event, plain: Plain = str, *, publication: Publication | None = None
) -> str:
    """Return the first places of an event as published, and who moved on its newest evening.

    Its publication need not be read again. A ladder has its own list, which no place points order.
    """
    if event.is_ladder:
        return ladder_text(event, plain)
    publication = publication or current_publication(event)
    if publication is None:
        raise Missing("publication")
    document = publication.document
    day = parse_date(document["as_of"]["meeting"] or "")
    about = _("standings")
    if day is not None:
        about = _("standings after %s") % formats.date_format(day, "j M Y")
    lines = [
        *place_lines(document, plain),
        *_progress_lines(document, plain),
        *_moved(_moves(event, document), plain),
    ]
    return _text(event, about, lines, plain, "event")


def ladder_text(event: Event, plain: Plain = str) -> str:
    """Return the first places of a ladder, and who moved on its last day."""
    document = newest_ladder(event).document
    last = document["as_of"]["on"]
    moved = [
        (row["player"], row["place"] + (row["up"] or 0), row["place"])
        for row in document["rows"]
        if last and row["moved_on"] == last
    ]
    lines = [*place_lines(document, plain), *_moved(moved, plain)]
    return _text(event, _("ladder"), lines, plain, "ladder")


def place_lines(document: Mapping[str, Any], plain: Plain = str) -> Sequence[str]:
    """Return the first places of a published document, with the figure that decides."""
    rows = document["rows"]
    key = ""
    if scheme := document.get("scheme"):
        columns = {column["key"]: column for column in document["columns"]}
        key = ranking_column(scheme["primary"], columns)
        decimals = decimals_to_tell([cell_value(row, key) for row in rows])
    names = {row["player_id"]: plain(row["player"]) for row in rows}
    n_first, n_sharing = first_places([_shared_place(row) for row in rows], PLACES)
    lines = []
    for row in rows[:n_first]:
        if "place" in row:
            place = row["place"]
        else:
            place = place_text(row["rank"], is_tied=row["tied"])
        figure = f"  {points(decimal(cell_value(row, key), decimals))}" if key else ""
        lines.append(f"{place}. {plain(row['player'])}{figure}")
        reason = tie_break_reason(row.get("reason_facts"), name=names.__getitem__)
        if reason:
            lines.append(f"  {reason}")
    if n_sharing:
        place = place_text(_shared_place(rows[n_first]), is_tied=True)
        lines.append(_("%(place)s. %(n)s share it") % {"place": place, "n": n_sharing})
    return lines


def _shared_place(row: Mapping[str, Any]) -> int:
    """Return the place of a row of standings, or of a ladder, where nobody shares one."""
    place: int = row["place"] if "place" in row else row["rank"]
    return place


def challenges_text(event: Event, *, now: datetime, plain: Plain = str) -> str:
    """Return the challenges of a ladder that have a deadline, a line each, the next one first."""
    rows = challenge_lines(event, list(open_challenge_rows(event)), actor=ANYBODY, now=now)
    due = sorted((row.due_at, row.number, row) for row in rows if row.due_at is not None)
    zone = event.club.zone
    lines = [_challenge_line(row, by_when(at, zone), plain) for at, _number, row in due[:MOST_DUE]]
    if len(due) > MOST_DUE:
        lines.append(_("and %(n)s more") % {"n": len(due) - MOST_DUE})
    if not due:
        lines = [_("No challenge is due.")]
    return _text(event, _("challenges"), lines, plain, "challenges")


def expected_text(meeting: Meeting, attendance: AttendanceList | None = None) -> str:
    """Return who is here, comes later and is still expected, by full name, for hosts."""
    attendance = attendance or attendance_of(meeting)
    groups = (
        (_("Here (%(n)s): %(names)s"), attendance.here),
        (_("Later (%(n)s): %(names)s"), attendance.having(AttendanceState.LATE)),
        (_("Still expected (%(n)s): %(names)s"), attendance.awaited),
        (_("Waiting for a place (%(n)s): %(names)s"), attendance.having(AttendanceState.WAITING)),
    )
    lines = [
        words % {"n": len(rows), "names": _names(row.name for row in rows)}
        for words, rows in groups
        if rows
    ]
    if not lines:
        lines = [_("Nobody is expected yet.")]
    if attendance.capacity is not None:
        lines.append(_("Places: %(n)s") % {"n": attendance.capacity})
    return _text(meeting.event, formats.date_format(meeting.date, "j M Y"), lines)


_BY_STATE: Final = {
    ChallengeState.ISSUED: gettext_lazy("%(one)s – %(other)s: answer by %(when)s"),
    ChallengeState.ACCEPTED: gettext_lazy("%(one)s – %(other)s: play by %(when)s"),
    ChallengeState.PLAYED: gettext_lazy("%(one)s – %(other)s: confirm by %(when)s"),
}


def _challenge_line(row: ChallengeRow, when: str, plain: Plain) -> str:
    names = {"one": plain(row.challenger["player"]), "other": plain(row.challenged["player"])}
    return str(_BY_STATE[ChallengeState(row.state)]) % {**names, "when": when}


_BY_PROGRESS: Final = {
    "winner": gettext_lazy("Winner: %s"),
    "final": gettext_lazy("Final: %s"),
    "through": gettext_lazy("Through: %s"),
    "undecided": gettext_lazy("Undecided: %s"),
    "consolation": gettext_lazy("Consolation: %s"),
    "out": gettext_lazy("Out: %s"),
}


def _progress_lines(document: JsonDict, plain: Plain) -> Iterable[str]:
    """Return who is through, out or the winner, where rounds or a cut decide that."""
    if document["scheme"].get("title_open"):
        yield _("Nobody has won yet.")
    for state, words in _BY_PROGRESS.items():
        names = [plain(row["player"]) for row in document["rows"] if row.get("progress") == state]
        if names:
            yield str(words) % _names(names)


def _moves(event: Event, document: JsonDict) -> Sequence[_Move]:
    """Return the moves of a document since the evening before; two queries."""
    day = document["as_of"]["meeting"]
    if day:
        rounds = Round.objects.filter(event=event, meeting__date=day)
    else:
        rounds = Round.objects.none()
    first = rounds.order_by("number").values_list("number", flat=True).first()
    rows = {row["player_id"]: row for row in document["rows"]}
    places = {code: place_text(row["rank"], is_tied=row["tied"]) for code, row in rows.items()}
    moves = []
    for code, trend in get_trends(event, first, None, places).items():
        if (movement := trend["movement"]) is not None:
            was = str(movement["was"]).rstrip("=")
            moves.append((rows[code]["player"], int(was), rows[code]["rank"]))
    return moves


def _moved(moves: Sequence[_Move], plain: Plain) -> Iterable[str]:
    for words, sign in ((_("Up: %s"), 1), (_("Down: %s"), -1)):
        rows = [(sign * (now - was), now, name, was) for name, was, now in moves]
        changed = sorted(row for row in rows if row[0] < 0)
        if changed:
            names = (f"{plain(name)} {was}→{now}" for _by, now, name, was in changed)
            yield words % _names(names, most=PLACES)


def _names(names: Iterable[str], *, most: int = MOST_DUE) -> str:
    every = list(names)
    more = [_("and %(n)s more") % {"n": len(every) - most}] if len(every) > most else []
    return ", ".join([*every[:most], *more])


def _text(
    event: Event, about: str, lines: Sequence[str], plain: Plain = str, page: str = "", *at: object
) -> str:
    """Return a text with its head and, if `page` names one, the address of its page."""
    head = f"{plain(event.club.name)}: {plain(event.name)}, {about}"
    folded = (
        part
        for line in (head, *lines)
        for part in wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False)
    )
    path = event_url(page, event, *at) if page else ""
    return "\n".join([*folded, *([f"{settings.SITE_URL}{path}"] if path else [])])
