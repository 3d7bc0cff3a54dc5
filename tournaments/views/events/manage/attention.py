"""The attention list of an event: what needs a person, since when, and one action each.

`ATTENTION` has the order, the most urgent first; a row whose action the reader may not take is left
out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import one_stop
from tournaments.domain.name_matching import listed_people
from tournaments.models.events import Visibility
from tournaments.selectors.imports import RIGHT
from tournaments.selectors.jobs.queue import SILENT_AFTER
from tournaments.selectors.rules.house_rules import find_house_version
from tournaments.templatetags.points import at, short_day
from tournaments.views.events.change_event import visibility_effects
from tournaments.views.events.manage.facts import ManageAction, ManageFacts, words_of
from tournaments.views.playoffs.playoff_text import playoff_in_words

AT_MOST: Final = 5
"""Maximum number of lines of one kind; one more line counts the others."""


@dataclass(frozen=True, slots=True)
class AttentionLine:
    """A problem that needs a person, since when or why, and the operation; `code` is an error's
    text, `read` a link to read first, `other` a second operation that solves it."""

    title: str
    text: str
    action: ManageAction
    icon: str = "warn"
    tone: str = "warn"
    code: str = ""
    read: ManageAction | None = None
    other: ManageAction | None = None


def attention_lines(facts: ManageFacts) -> tuple[AttentionLine, ...]:
    attention: list[AttentionLine] = []
    for finder, rest in ATTENTION:
        lines = [line for line in finder(facts) if line.action.is_allowed(facts.event)]
        attention += lines[:AT_MOST]
        if len(lines) > AT_MOST:
            attention.append(_line_of_rest(facts, lines, rest))
    return tuple(attention)


def _line_of_rest(facts: ManageFacts, lines: Sequence[AttentionLine], rest: str) -> AttentionLine:
    count = len(lines) - AT_MOST
    last = lines[AT_MOST]
    title = ngettext("%(n)s more like these", "%(n)s more like these", count) % {"n": count}
    url = facts.url(rest) if rest else last.action.url
    action = ManageAction(_("Show all"), url, last.action.permission)
    return AttentionLine(title, "", action, last.icon, last.tone)


def _filed(facts: ManageFacts) -> Iterator[AttentionLine]:
    for hand in facts.filed:
        table = hand.game.table
        names = {
            "hand": hand.number,
            "table": table.number,
            "round": facts.round_label(table.round.number),
        }
        when = at(hand.entry.entered_at if hand.entry else None, facts.event.club.time_zone)
        if hand.number:
            title = _("Table %(table)s, hand %(hand)s is disputed: wrong total") % names
        else:
            title = _("The totals of table %(table)s are disputed") % names
        yield AttentionLine(
            title,
            _("Round %(round)s. Saved as disputed on %(when)s; it does not count.")
            % {**names, "when": when},
            facts.resolve_action(hand, _("of table %(table)s") % names),
            tone="bad",
        )


def _disputes(facts: ManageFacts) -> Iterator[AttentionLine]:
    for dispute in facts.disputes:
        table = dispute.hand.game.table
        names = {
            "hand": dispute.hand.number,
            "table": table.number,
            "round": facts.round_label(table.round.number),
        }
        when = at(dispute.opened_at, facts.event.club.time_zone)
        yield AttentionLine(
            (
                _("Table %(table)s, hand %(hand)s is disputed")
                if dispute.hand.number
                else _("The totals of table %(table)s are disputed")
            )
            % names,
            _("Round %(round)s, since %(when)s: “%(words)s”")
            % {**names, "when": when, "words": dispute.words or ""},
            facts.decide_dispute_action(dispute.number, about=str(dispute.number)),
            "flag",
            "disp",
        )


def _stopped_jobs(facts: ManageFacts) -> Iterator[AttentionLine]:
    for kind, fault in facts.failed:
        yield AttentionLine(
            _("A background job has stopped"),
            str(words_of(kind).stopped),
            ManageAction(
                _("Try again"),
                facts.url("manage-event"),
                "publish",
                "try_again",
                "yes",
            ),
            tone="bad",
            code=fault,
        )


def _no_worker(facts: ManageFacts) -> Iterator[AttentionLine]:
    waiting = [job for job in facts.jobs if job.state == "waiting"]
    since = min((job.waits_since for job in waiting if job.waits_since), default=facts.now)
    if facts.now - since > SILENT_AFTER and not facts.has_worker:
        yield AttentionLine(
            _("No worker is running"),
            _("Background jobs pending since %(when)s: %(n)s. Start the workers on the server.")
            % {"when": at(since, facts.event.club.time_zone), "n": len(waiting)},
            ManageAction(_("Show jobs"), "#jobs"),
            tone="bad",
        )


def _reviews(facts: ManageFacts) -> Iterator[AttentionLine]:
    for playoff in facts.playoffs:
        if playoff.is_asked:
            words = playoff_in_words(facts.event, playoff)
            yield AttentionLine(
                _("Under review: play-off %(number)s") % {"number": playoff.number},
                one_stop(f"{listed_people(words['names'], _('and'))}. ")
                + _(
                    "A correction changes the tie."
                    " The standings stay as published until you decide."
                ),
                facts.decide_playoff_action(playoff.number),
            )
    for number in facts.asked_stages:
        yield AttentionLine(
            _("A correction affects who goes on"),
            _("Stage %(number)s. Read what would change, then decide.") % {"number": number},
            facts.decide_stage_action(number),
        )


def _quiet_tables(facts: ManageFacts) -> Iterator[AttentionLine]:
    number = facts.current.number if facts.current else 0
    for tile in facts.board.tiles if facts.board else ():
        if tile.code not in facts.quiet:
            continue
        since, has_hands = facts.quiet[tile.code]
        minutes = int((facts.now - since).total_seconds()) // 60
        text = (
            _("Round %(round)s: no hand for %(n)s minutes, while others go on.")
            if has_hands
            else _("Round %(round)s: no hand yet; the first of the round is %(n)s minutes old.")
        )
        yield AttentionLine(
            _("Table %(table)s is late") % {"table": tile.number},
            text % {"round": facts.round_label(number), "n": minutes},
            ManageAction(
                _("Show table link"),
                facts.url("table-link", tile.code),
                "manage_links",
                about=_("of table %(table)s") % {"table": tile.number},
            ),
            "clock",
        )


def _imports(facts: ManageFacts) -> Iterator[AttentionLine]:
    for state, batch, n_open in facts.imports:
        title, text, button, page = _import_words(state, n_open)
        names = {"file": batch.file_name, "n": n_open}
        when = at(batch.started_at, facts.event.club.time_zone)
        about = _("of import %(number)s") % {"number": batch.number}
        is_unconfirmed = state in ("columns", "confirm")
        since = _("Uploaded on %(when)s.") if is_unconfirmed else _("Imported on %(when)s.")
        discard = ManageAction(
            _("Discard file"),
            facts.url("import-discard", batch.number),
            RIGHT,
            "discard",
            "yes",
            about,
        )
        yield AttentionLine(
            title % names,
            f"{text % names} " + since % {"when": when},
            ManageAction(button, facts.url(page, batch.number), RIGHT, about=about),
            tone="info" if state == "confirm" else "warn",
            other=discard if is_unconfirmed else None,
        )


def _import_words(state: str, n: int) -> tuple[str, str, str, str]:
    if state == "columns":
        return (
            _("Columns of %(file)s are not known"),
            _("Say what each column is; nothing of the file counts before."),
            _("Map columns"),
            "column-mapping",
        )
    if state == "confirm":
        return (
            _("%(file)s waits to be confirmed"),
            _("It was read; nothing of it counts before you confirm."),
            _("Check import"),
            "import",
        )
    if state == "restart":
        return (
            _("The import of %(file)s has stopped"),
            _("Part of the file may be in the event."),
            _("Open import"),
            "import",
        )
    return (
        ngettext("%(n)s problem in %(file)s", "%(n)s problems in %(file)s", n),
        ngettext(
            "Its hand does not count before it is resolved.",
            "Their hands do not count before they are resolved.",
            n,
        ),
        _("Resolve problems"),
        "import",
    )


def _playoffs(facts: ManageFacts) -> Iterator[AttentionLine]:
    for playoff in facts.playoffs:
        if playoff.is_asked or not playoff.is_live:
            continue
        words = playoff_in_words(facts.event, playoff)
        where = ", ".join(
            _("round %(round)s, table %(table)s")
            % {
                "round": facts.round_label(table["round"]),
                "table": table["code"].rpartition("t")[2],
            }
            for table in playoff.open_tables
        )
        title = f"{words['level']}: " + _("play-off %(number)s") % {"number": playoff.number}
        exhausted = _(
            "The maximum number of hands is reached. The director allows more hands or draws lots."
        )
        yield AttentionLine(
            title + (_(" at %(tables)s") % {"tables": where} if where else ""),
            one_stop(f"{listed_people(words['names'], _('and'))}. {words['for_what']}")
            + (f" {exhausted}" if playoff.is_exhausted else ""),
            ManageAction(_("Open play-off %(number)s") % {"number": playoff.number}, words["url"]),
        )


def _old_rounds(facts: ManageFacts) -> Iterator[AttentionLine]:
    for open_round in facts.open_rounds:
        if (
            open_round is facts.current
            or open_round.state == "draft"
            or (open_round.on or facts.today) >= facts.today
        ):
            continue
        text = ngettext(
            "%(n)s table is still open.", "%(n)s tables are still open.", open_round.open_tables
        )
        yield AttentionLine(
            _("Round %(number)s of %(day)s is not closed")
            % {
                "number": facts.round_label(open_round.number),
                "day": short_day(open_round.on),
            },
            text % {"n": open_round.open_tables},
            facts.round_action(open_round.number),
            "clock",
        )


def _claims(facts: ManageFacts) -> Iterator[AttentionLine]:
    for claim in facts.claims:
        yield AttentionLine(
            _("%(name)s wants to be linked to %(player)s")
            % {"name": claim.account_name, "player": claim.player},
            _("Since %(when)s.") % {"when": at(claim.created_at, facts.event.club.time_zone)},
            ManageAction(
                _("Decide claim"),
                facts.club_url("claims"),
                "link_players",
                about=claim.account_name,
            ),
            "user",
            "info",
        )


def _waiting(facts: ManageFacts) -> Iterator[AttentionLine]:
    for line in facts.waiting:
        yield AttentionLine(
            line.title, "", ManageAction(_("Open"), line.path, about=line.title), "flag"
        )


def _mails(facts: ManageFacts) -> Iterator[AttentionLine]:
    count = facts.parked_mails
    if count:
        yield AttentionLine(
            ngettext(
                "%(n)s mail of the club could not be delivered",
                "%(n)s mails of the club could not be delivered",
                count,
            )
            % {"n": count},
            _("The mail server refused it."),
            ManageAction(_("Show mails"), facts.club_url("mails"), "read_mail"),
            "mail",
        )


def _held_results(facts: ManageFacts) -> Iterator[AttentionLine]:
    event = facts.event
    if event.visibility == Visibility.HELD and facts.counts["publication"] is not None:
        yield AttentionLine(
            _("Only directors can read the results"),
            visibility_effects(event)[Visibility.PUBLIC],
            ManageAction(
                _("Release results"),
                facts.url("visibility"),
                "publish",
                "visibility",
                Visibility.PUBLIC,
            ),
            "flag",
            "info",
        )


def _minimum(facts: ManageFacts) -> Iterator[AttentionLine]:
    n, needed = facts.below
    if n:
        title = ngettext(
            "%(n)s player has no place yet: fewer than %(needed)s games",
            "%(n)s players have no place yet: fewer than %(needed)s games",
            n,
        )
        help_text = _("A place needs a third of the games of the player with most.")
        if facts.settings.min_unit == "meeting":
            title = ngettext(
                "%(n)s player has no place yet: fewer than %(needed)s evenings",
                "%(n)s players have no place yet: fewer than %(needed)s evenings",
                n,
            )
            help_text = _("A place needs a third of the evenings of the player with most.")
        yield AttentionLine(
            title % {"n": n, "needed": needed},
            help_text,
            ManageAction(
                _("Switch minimum off"), facts.url("manage-event"), field="minimum", value="off"
            ),
            "flag",
            "info",
            read=ManageAction(_("Standings"), facts.url("event")),
        )


def _newer_rules(facts: ManageFacts) -> Iterator[AttentionLine]:
    if facts.newer is not None:
        number = {"number": facts.newer.number}
        rules = facts.newer.variant
        address = reverse("tournaments:house-difference", args=(facts.event.club.slug, rules.slug))
        playing = find_house_version(facts.event)
        before = playing.number if playing else 1
        yield AttentionLine(
            facts.newer.title,
            _("The rules of this event have a newer version. Existing tables keep their version."),
            ManageAction(
                _("Use version %(number)s") % number,
                facts.url("use-version"),
                "house_rules",
                "use",
                "yes",
            ),
            "cards",
            "info",
            read=ManageAction(
                _("What changed"), f"{address}?left={before}&right={facts.newer.number}"
            ),
        )


ATTENTION: Final = (
    (_filed, "meetings"),
    (_disputes, "disputes"),
    (_stopped_jobs, "manage-event"),
    (_no_worker, ""),
    (_reviews, "playoffs"),
    (_quiet_tables, "event-links"),
    (_imports, "imports"),
    (_playoffs, "playoffs"),
    (_old_rounds, "meetings"),
    (_waiting, ""),
    (_claims, ""),
    (_mails, ""),
    (_held_results, ""),
    (_minimum, ""),
    (_newer_rules, ""),
)
"""Functions that find lines of a kind, and the page that lists them; the most urgent first."""
