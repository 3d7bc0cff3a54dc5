"""Steps that something wrong asks for: a table that cannot go on, a dispute, a review, a tie."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models.events import EventState
from tournaments.models.meetings import RoundState
from tournaments.selectors.playoffs.playoffs import PlayoffView
from tournaments.templatetags.tables import table_name
from tournaments.views.events.manage.facts import (
    ManageAct,
    ManageFacts,
    ManageStep,
    event_url,
    resolve_act,
)
from tournaments.views.playoffs.playoff_text import listed


def filed_hands(facts: ManageFacts) -> Iterator[ManageStep]:
    """A hand or totals saved as disputed stop their table."""
    for one in facts.filed:
        act = resolve_act(facts.event, one)
        names = {"act": act.text, "table": one.table, "round": one.round}
        yield ManageStep(
            name=_("%(act)s at table %(table)s") % names,
            reason=_(
                "The entry is saved as disputed. It does not count before it is corrected, and the "
                "results of round %(round)s cannot become final."
            )
            % names,
            act=act,
            other=ManageAct(
                _("Open table %(table)s") % names, event_url(facts.event, "table", one.code)
            ),
            tone="bad",
        )


def imported_hands(facts: ManageFacts) -> Iterator[ManageStep]:
    """An imported sheet with a mistake stops its table."""
    for tile in facts.board.tiles if facts.board else ():
        for problem in tile.problems[:1]:
            count = len(tile.problems)
            text = ngettext(
                "An imported hand of the table has a mistake and does not count: %(message)s",
                "%(n)s imported hands of the table have mistakes and do not count: %(message)s",
                count,
            )
            yield ManageStep(
                name=_("Resolve the import at table %(table)s") % {"table": tile.number},
                reason=text % {"n": count, "message": problem.message},
                act=ManageAct(
                    _("Resolve problem"),
                    event_url(facts.event, "problem", problem.batch.number, problem.position),
                    "import_sheets",
                ),
                other=ManageAct(
                    _("Open table %(table)s") % {"table": tile.number},
                    event_url(facts.event, "table", tile.code),
                ),
                tone="bad",
            )


def empty_seats(facts: ManageFacts) -> Iterator[ManageStep]:
    """A table without players, or with an empty seat, cannot go on."""
    current, board = facts.current, facts.board
    if current is None or board is None or current.state == RoundState.DRAFT:
        return
    for tile in board.tiles:
        gone = [seat for seat in tile.seats if seat.gone]
        if tile.state not in ("empty", "seated", "play", "disp") or not (
            gone or tile.state == "empty"
        ):
            continue
        names = {"table": tile.number, "name": gone[0].name if gone else ""}
        begun = tile.n_hands or tile.state == "play"
        yield ManageStep(
            name=_("Seat a player at table %(table)s") % names,
            reason=_("%(name)s left the table. It cannot go on with an empty seat.") % names
            if gone
            else _("Nobody sits at the table."),
            act=ManageAct(
                _("Change players") if begun else _("Change seats"),
                event_url(facts.event, "change-players" if begun else "table-seating", tile.code),
            ),
            tone="bad",
        )


def open_disputes(facts: ManageFacts) -> Iterator[ManageStep]:
    """An open dispute keeps results from becoming final."""
    for dispute in facts.disputes:
        table = dispute.hand.game.table
        names = {"hand": dispute.hand.number, "table": table.number, "round": table.round.number}
        yield ManageStep(
            name=_("Decide the dispute at table %(table)s") % names,
            reason=_(
                "Hand %(hand)s of round %(round)s is disputed. It keeps its score until you "
                "decide, and the results cannot become final before."
            )
            % names,
            act=ManageAct(
                _("Decide dispute"),
                event_url(facts.event, "rule-on-dispute", dispute.number),
                "rule_on_disputes",
            ),
            other=ManageAct(
                _("Open table %(table)s") % names, event_url(facts.event, "table", table.code)
            ),
        )


def upheld_disputes(facts: ManageFacts) -> Iterator[ManageStep]:
    """A hand whose dispute was upheld counts as it was entered until it is corrected."""
    for dispute in facts.upheld:
        hand, table = dispute.hand, dispute.hand.game.table
        names = {"hand": hand.number, "table": table.number, "dispute": dispute.number}
        names["round"] = table.round.number
        page = "edit-hand" if hand.number else "totals"
        yield ManageStep(
            name=_("Correct the hand of dispute %(dispute)s") % names,
            reason=_(
                "Dispute %(dispute)s was upheld. Hand %(hand)s of round %(round)s still counts as "
                "it was entered."
            )
            % names,
            act=ManageAct(
                _("Correct hand %(hand)s") % names,
                event_url(facts.event, page, table.code, *filter(None, [hand.number])),
                "correct_closed",
            ),
            other=ManageAct(
                _("Open table %(table)s") % names, event_url(facts.event, "table", table.code)
            ),
        )


def reviews(facts: ManageFacts) -> Iterator[ManageStep]:
    """A correction changes who plays off or who goes on."""
    for playoff in facts.playoffs:
        if playoff.is_asked:
            yield ManageStep(
                name=_("Decide play-off %(number)s") % {"number": playoff.number},
                reason=_(
                    "A correction changes the tie. The standings are not published again before "
                    "you keep the result or have it replayed."
                ),
                act=ManageAct(
                    _("Decide play-off %(number)s") % {"number": playoff.number},
                    f"{event_url(facts.event, 'playoff', playoff.number)}#act-answer",
                ),
            )
    for number in facts.asked_stages:
        yield ManageStep(
            name=_("Decide who goes on in stage %(number)s") % {"number": number},
            reason=_("A correction affects who goes on. Read what would change, then decide."),
            act=ManageAct(
                _("Decide stage %(number)s") % {"number": number},
                event_url(facts.event, "manage-stage", number),
            ),
        )


def live_playoffs(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for play-offs to be prepared, played or ended."""
    for playoff in facts.playoffs:
        if playoff.is_asked or not playoff.is_live:
            continue
        names = {"number": playoff.number}
        page = event_url(facts.event, "playoff", playoff.number)
        other = None
        if playoff.state == "detected":
            name, act = _("Prepare play-off %(number)s"), _("Prepare play-off")
            text = _("A director prepares their table, draws lots or lets them share the place.")
        elif playoff.is_exhausted:
            name, act = _("End play-off %(number)s"), _("Open play-off")
            text = _("The maximum number of hands is reached: allow more hands or draw lots.")
        else:
            name, act = _("Play play-off %(number)s"), _("Open play-off")
            text = _("The results cannot become final before it is decided.")
            if any(line["kind"] == "table" for line in playoff.boundaries):
                text = _("The next round can be planned once it is decided.")
            elif facts.event.state == EventState.OPEN:
                text = _("The next stage can begin once it is decided.")
            if not all(chair.player for chair in playoff.chairs):
                other, act = ManageAct(act, page), _("Seat neutral players")
                text = _("Neutral players are missing.") + f" {text}"
                page += "#act-neutral"
        yield ManageStep(name % names, f"{_tied(playoff)} {text}", ManageAct(act, page), other)


def _tied(playoff: PlayoffView) -> str:
    """Who is tied, and where they play on once others are out."""
    playing = [member.player for member in playoff.members if member.status == "playing"]
    where = [table_name(open_table.code).lower() for open_table in playoff.open_tables]
    if where and len(playing) < len(playoff.members):
        facts = {"who": listed(playing), "where": listed(where)}
        return _("%(who)s play on at %(where)s.") % facts
    count = len(playoff.members)
    return ngettext(
        "%(n)s entrant is tied at a cut-off.", "%(n)s entrants are tied at a cut-off.", count
    ) % {"n": count}
