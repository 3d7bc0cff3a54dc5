"""The message to a player after an evening: its result first, then the season."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.domain.figures import points, signed
from tournaments.domain.standings.evening_outcomes import outcome_of, winners_of
from tournaments.models.columns import as_json
from tournaments.models.events import EntrantMember, Event
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Contribution, LedgerKind, Publication
from tournaments.selectors.events.meetings import is_going_on
from tournaments.selectors.events.players import as_read
from tournaments.selectors.ladders.announced_moves import (
    AnnouncedMoves,
    announcements_of,
    find_announcement,
    find_corrected,
    is_to_be_announced,
    moves_being_corrected,
)
from tournaments.selectors.ladders.ladder_evenings import (
    first_sentence,
    ladder_evening,
    named_moves,
)
from tournaments.selectors.notices.notice_messages import (
    MINUS,
    NothingToSay,
    NoticeContext,
    NoticeText,
    on_day,
    page_of,
)
from tournaments.selectors.rounds.round_names import names_of_rounds, round_label
from tournaments.selectors.standings.ended_evenings import (
    being_corrected_sentence,
    find_ended_evening,
)
from tournaments.selectors.standings.evening_corrections import (
    correction_reasons,
    correction_sentence,
    is_another_result,
    shared_first_sentence,
    was_continued_since,
)
from tournaments.selectors.standings.evening_results import newest_result, result_numbered
from tournaments.selectors.standings.evenings import NothingOfEvening, evening_table
from tournaments.selectors.standings.publications import current_publication
from tournaments.selectors.standings.short_reasons import (
    YOU,
    first_places,
    progress_sentence,
    short_reason_of,
)
from tournaments.selectors.standings.standings_view import (
    PageQuery,
    StandingsRow,
    standings_view,
)

FIRST_OF_EVENING: Final = 3
FIRST_OF_SEASON: Final = 5
"""The best rows of a table that a result names."""
MOST_MOVES: Final = 10
MOST_CHALLENGES: Final = 20


@dataclass(frozen=True, slots=True)
class _Words:
    """The sentences about a table: the reader's place, a shared one, a value, a first place."""

    place: Promise
    shared: Promise
    value: Promise
    first: Promise


OF_EVENING: Final = _Words(
    place=gettext_lazy("You finished the evening at place %(place)s of %(number)s."),
    shared=gettext_lazy("You share place %(place)s of %(number)s of the evening."),
    value=gettext_lazy("%(value)s of the evening"),
    first=gettext_lazy("Evening, place %(place)s"),
)
AFTER_EVENING: Final = _Words(
    place=gettext_lazy("You are at place %(place)s of %(number)s after the evening."),
    shared=gettext_lazy("You share place %(place)s of %(number)s after the evening."),
    value=gettext_lazy("%(value)s after the evening"),
    first=gettext_lazy("After the evening, place %(place)s"),
)
"""Of an evening that decides who goes on: its table is that of the event as of then."""
AS_OF_NOW: Final = _Words(
    place=gettext_lazy("You are at place %(place)s of %(number)s so far."),
    shared=gettext_lazy("You share place %(place)s of %(number)s so far."),
    value=gettext_lazy("%(value)s so far"),
    first=gettext_lazy("So far, place %(place)s"),
)
"""Of one that decides who goes on, while it is on."""
OF_SEASON: Final = _Words(
    place=gettext_lazy("You are at place %(place)s of %(number)s in the season."),
    shared=gettext_lazy("You share place %(place)s of %(number)s in the season."),
    value=gettext_lazy("%(value)s of the season"),
    first=gettext_lazy("Season, place %(place)s"),
)


@dataclass(frozen=True, slots=True)
class _Part:
    """What a message says of one table: the place, what was announced, why it is that place, and
    the first rows."""

    place: str = ""
    announced: str = ""
    reasons: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Reader:
    """The reader of a message as an entrant of the event; `own_name` is not that of the public."""

    code: str
    own_name: str


def digest(context: NoticeContext) -> NoticeText:
    """Tell a player their place of an evening, their tables, who won, and then the season.

    A later result says what it corrects, if the reader was told of an earlier one: what changed,
    then the reader's place and the one that was announced, then why. While an evening that is over
    is being corrected, its newest result is told, and neither tables nor the season.
    """
    meeting = context.find(Meeting.objects.select_related("event__club"), "meeting")
    event = meeting.event
    context.require_readable(event)
    members = EntrantMember.objects.filter(context.is_own("player__"), event=event)
    member = members.select_related("entrant").order_by("entrant__code").first()
    tables = tuple(_tables(meeting, member.entrant_id)) if member is not None else ()
    if member is None or not tables:
        raise NothingToSay
    if event.is_ladder:
        return _of_ladder(context, meeting, member.entrant.code, tables)
    announced = _find_announced(context, meeting)
    ended = find_ended_evening(meeting)
    if ended is None:
        announced = None  # it goes on, and has a result again at its next end
    reader = _Reader(member.entrant.code, context.person.name if context.person else "")
    evening = ended.result if ended is not None else _table_so_far(meeting)
    part = _Part()
    if evening is not None:
        words = _words_of(evening, meeting, context)
        before = as_read(announced, event.club, event) if announced is not None else None
        part = _part(evening, reader, words, most=FIRST_OF_EVENING, before=before)
    headline = part.place
    sentences = [*part.reasons, *_adjustments(evening, reader, meeting)]
    if ended is not None and announced is not None:
        headline = correction_sentence(event, ended.stored, announced)
        reasons = _reasons_of_correction(context, meeting, since=announced.newest_version)
        sentences = [part.place, part.announced, *reasons, *sentences]
    elif evening is not None:
        sentences.append(_winner(evening, reader))
    rows: tuple[tuple[str, str], ...]
    if ended is not None and ended.is_being_corrected:
        sentences.append(being_corrected_sentence(event, ended))
        rows = part.rows
    else:
        season = _season(event, evening, reader)
        sentences += [season.place, *season.reasons]
        rows = (*tables, *part.rows, *season.rows)
    title = _title(meeting, context, is_correction=announced is not None)
    return NoticeText(
        title % {"event": event.name, "day": on_day(meeting.date)},
        _("Open evening"),
        page_of(event, "evening", meeting.date.isoformat()),
        tuple(filter(None, sentences)),
        rows,
        headline=headline,
    )


def _words_of(evening: Publication, meeting: Meeting, context: NoticeContext) -> _Words:
    if _is_own(evening):
        return OF_EVENING
    if context.now is not None and is_going_on(meeting, context.now):
        return AS_OF_NOW
    return AFTER_EVENING


def _title(meeting: Meeting, context: NoticeContext, *, is_correction: bool = False) -> str:
    if is_correction:
        return _("%(event)s: the result of %(day)s was corrected")
    if context.now is not None and is_going_on(meeting, context.now):
        return _("%(event)s: your results of %(day)s so far")
    return _("%(event)s: your results of %(day)s")


def _tables(meeting: Meeting, entrant_id: int) -> Iterator[tuple[str, str]]:
    contributions = Contribution.objects.filter(
        entrant=entrant_id, game__table__round__meeting=meeting, games__gt=0
    ).select_related("game__table__round", "game__snapshot")
    names = names_of_rounds(meeting.event)
    for row in contributions.order_by("game__table__round__number", "game__table__number"):
        table = row.game.table
        facts = {"round": round_label(table.round.number, names), "table": table.number}
        where = _("Round %(round)s, table %(table)s") % facts
        place_text = str(row.place)
        if row.shared > 1:
            place_text = f"{row.place}="
        place = _("place %s") % place_text
        scored = as_json(row.points)
        if row.game.snapshot.has_points:
            of_points = ngettext("%s point", "%s points", 1 if scored == 1 else 2)
            place += f", {of_points % str(scored).replace('-', MINUS)}"
        yield where, place


def _is_own(evening: Publication) -> bool:
    """Whether only the games of the evening count in its table."""
    is_own: bool = evening.document["evening"]["counts"] == "evening"
    return is_own


def _table_so_far(meeting: Meeting) -> Publication | None:
    """Return the table of an evening that goes on, or whose result is not drawn yet."""
    event = meeting.event
    try:
        table = evening_table(event, meeting)
    except NothingOfEvening:
        return None
    newest = current_publication(event)
    if newest is None:
        return None
    return Publication(
        number=newest.number, published_at=newest.published_at, digest=table.digest, body=table.body
    )


def _season(event: Event, evening: Publication | None, reader: _Reader) -> _Part:
    """Return what is said of the season; nothing where it says what the evening says, or to guests,
    who do not play for it."""
    publication = current_publication(event)
    if publication is None or _is_guest(publication, reader):
        return _Part()
    if evening is not None:
        document = evening.document
        if not _is_own(evening) or outcome_of(document) == outcome_of(publication.document):
            return _Part()
    return _part(publication, reader, OF_SEASON, most=FIRST_OF_SEASON)


def _is_guest(publication: Publication, reader: _Reader) -> bool:
    rows = publication.document["provisional_rows"]
    return any(row.get("guest") and row["player_id"] == reader.code for row in rows)


def _part(
    publication: Publication,
    reader: _Reader,
    words: _Words,
    *,
    most: int,
    before: Publication | None = None,
) -> _Part:
    """Return what is said of a table; `before` is the one of which the reader was told earlier."""
    own = _row_of(publication, reader)
    if own is None:
        return _Part()
    document = publication.document
    ranks = [row["rank"] for row in document["rows"]]
    place = ""
    if own.facts["rank"] is not None:
        sentence = words.shared if own.facts["tied"] else words.place
        place = str(sentence) % {"place": own.facts["rank"], "number": len(ranks)}
    reasons = list(filter(None, [progress_sentence(own)]))
    reason = short_reason_of(document, own, YOU)
    if reason:
        reasons.append(_("Reason: %s") % reason)
    announced = ""
    values_before: dict[str, object] = {}
    if before is not None and (own_before := _row_of(before, reader)) is not None:
        n_before = len(before.document["rows"])
        announced = _announced_place(own, own_before, n_before)
        values_before = {cell.column.key: cell.number for cell in own_before.cells}
    values = []
    for cell in own.cells:
        if not cell.column.decides and cell.column.key != "points":
            continue
        value = points(cell.number)
        was = values_before.get(cell.column.key, cell.number)
        if was != cell.number:
            value = _("%(value)s, announced was %(before)s") % {
                "value": value,
                "before": points(was),
            }
        values.append((str(words.value) % {"value": cell.column.head}, value))
    rows = standings_view(publication, page_query=PageQuery()).rows
    first = _first_rows(rows, ranks, reader, words, most)
    return _Part(place, announced, tuple(reasons), (*values, *first))


def _row_of(publication: Publication, reader: _Reader) -> StandingsRow | None:
    view = standings_view(publication, page_query=PageQuery(entrant_id=reader.code))
    return view.row_of(reader.code)


def _announced_place(own: StandingsRow, before: StandingsRow, n_before: int) -> str:
    """Return what was announced of the reader's place; "" where that was none."""
    rank = before.facts["rank"]
    if rank is None:
        return ""
    if (own.facts["rank"], own.facts["tied"]) == (rank, before.facts["tied"]):
        return _("That is the place that was announced.")
    facts = {"place": before.place, "number": n_before}
    if own.facts["rank"] is None:
        return _("You have no place now; announced was place %(place)s of %(number)s.") % facts
    return _("Announced was place %(place)s of %(number)s.") % facts


def _adjustments(evening: Publication | None, reader: _Reader, meeting: Meeting) -> Iterator[str]:
    """Yield the reader's penalties and bonuses of an evening, as its table has them."""
    own = _row_of(evening, reader) if evening is not None else None
    if own is None:
        return
    for line in own.facts["ledger"]:
        if line["meeting"] != meeting.date:
            continue
        sentence = _("Your bonus for this evening, %(amount)s: %(reason)s")
        if line["kind"] == LedgerKind.PENALTY:
            sentence = _("Your penalty for this evening, %(amount)s: %(reason)s")
        yield sentence % {"amount": signed(line["amount"]), "reason": line["reason"]}


def _reasons_of_correction(
    context: NoticeContext, meeting: Meeting, *, since: int
) -> Iterator[str]:
    for reason in correction_reasons(meeting, since=since):
        text = context.texts(meeting.event, reason)
        yield _("Reason for the correction: “%(reason)s”") % {"reason": text}


def _first_rows(
    rows: Sequence[StandingsRow], ranks: Sequence[int], reader: _Reader, words: _Words, most: int
) -> Iterator[tuple[str, str]]:
    n_first, n_sharing = first_places(ranks, most)
    for row in rows[:n_first]:
        name = row.name
        if row.entrant_id == reader.code and reader.own_name and not row.members:
            name = reader.own_name
        label = str(words.first) % {"place": row.place}
        yield label, f"{name}, {points(row.cells[0].number)}"
    if n_sharing:
        label = str(words.first) % {"place": rows[n_first].place}
        yield label, _("%(n)s share it") % {"n": n_sharing}


def _winner(evening: Publication, reader: _Reader) -> str:
    """Return who won an evening, or the event on it, or all who share the first place; "" where
    nobody wins it. The event's winner reads that in the sentence about their progress."""
    winners = winners_of(evening.document)
    if len(winners) != 1:
        return shared_first_sentence(evening.document, reader=reader.code)
    names = {row["player_id"]: row["player"] for row in evening.document["rows"]}
    winner = str(names[winners[0]])
    is_reader = winners[0] == reader.code
    if _is_own(evening) and is_reader:
        return _("You won the evening.")
    if is_reader:
        return ""
    if not _is_own(evening):
        return _("%s won the event.") % winner
    return _("%s won the evening.") % winner


def _find_announced(context: NoticeContext, meeting: Meeting) -> Publication | None:
    """Return the last result that the reader was told of, if the newest one corrects it.

    None where the evening went on since: then the newest one is a result like the first.
    A mail is out of date once another result is there, which has its own; a notice stays.
    """
    number = int(context.facts.get("number", 0))
    newest = newest_result(meeting)
    if not number or newest is None:
        return None
    is_mail = context.now is not None
    if is_mail and is_another_result(newest, result_numbered(meeting, number)):
        raise NothingToSay
    told = _number_told(context, meeting, number)
    if told is None:
        return None
    announced = result_numbered(meeting, told)
    if is_another_result(newest, announced):
        if was_continued_since(meeting.event, newest, announced):
            return None
        return announced
    if is_mail:
        raise NothingToSay
    return None


def _number_told(context: NoticeContext, meeting: Meeting, number: int) -> int | None:
    """Return the last result before this one that the reader got a mail or a notice of."""
    first = str(meeting.pk)
    of_meeting = Q(key=first) | Q(key__startswith=f"{first}:")
    mails = Outbox.objects.filter(of_meeting, context.is_reader(), kind="digest")
    keys = list(mails.filter(sent_at__isnull=False).values_list("key", flat=True))
    if context.person is None:
        notices = Notice.objects.filter(of_meeting, context.is_reader(), kind="digest")
        keys += notices.values_list("key", flat=True)
    numbers = [int(key.partition(":")[2] or 1) for key in keys]
    return max((told for told in numbers if told < number), default=None)


def _of_ladder(
    context: NoticeContext, meeting: Meeting, code: str, tables: tuple[tuple[str, str], ...]
) -> NoticeText:
    """Tell a member of a ladder what moved on its day: place points never order a ladder.

    A later message says what it corrects, if the reader got an earlier one.
    """
    event = meeting.event
    announced = _find_announced_moves(context, meeting)
    corrected = None
    if announced is not None:
        corrected = find_corrected(event, meeting, announced)
    evening = ladder_evening(event, meeting.date, also=code)
    own = evening.move_of(code)
    headline = _("Your place on the ladder is the same as before.")
    if own is not None:
        headline = _own_move(own.before, own.after)
    challenges = [row.sentence for row in evening.challenges[:MOST_CHALLENGES]]
    sentences = [
        moves_being_corrected(event, meeting),
        first_sentence(evening),
        evening.waits,
        *challenges,
    ]
    if announced is not None and corrected is not None:
        reasons = _reasons_of_correction(context, meeting, since=announced.version)
        sentences = [headline, corrected.sentence_about(code), *reasons, *sentences]
        headline = corrected.sentence()
    rows = []
    for move in named_moves(evening.moves, code, MOST_MOVES):
        places = {"was": move.place_before, "now": move.place_after}
        rows.append((move.player, _("place %(was)s → %(now)s") % places))
    title = _title(meeting, context, is_correction=corrected is not None)
    return NoticeText(
        title % {"event": event.name, "day": on_day(meeting.date)},
        _("Open evening"),
        page_of(event, "evening", meeting.date.isoformat()),
        tuple(filter(None, sentences)),
        (*tables, *rows),
        headline=headline,
    )


def _find_announced_moves(context: NoticeContext, meeting: Meeting) -> AnnouncedMoves | None:
    """Return the last announcement of a ladder's evening before this one that the reader got.

    A mail is out of date once there is another announcement, which has its own.
    """
    number = int(context.facts.get("number", 1))
    announced = announcements_of(meeting)
    is_mail = context.now is not None
    if is_mail and announced and announced[-1].number > number:
        raise NothingToSay
    told = _number_told(context, meeting, number)
    if told is None:
        return None
    earlier = find_announcement(announced, told)
    if is_mail and earlier is not None and not is_to_be_announced(meeting.event, meeting, earlier):
        raise NothingToSay
    return earlier


def _own_move(was: int | None, now: int | None) -> str:
    """Return the sentence about the reader's move of an evening."""
    if was is None:
        return _("You are new on the ladder, at place %s.") % now
    if now is None:
        return _("You left the ladder.")
    facts = {"was": was, "now": now}
    return _("You moved from place %(was)s to place %(now)s of the ladder.") % facts
