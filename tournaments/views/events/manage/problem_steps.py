"""Steps for problems: a table that cannot continue, a dispute, a review, a tie."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models.events import EventState
from tournaments.models.meetings import RoundState
from tournaments.selectors.hands.decisions import listed
from tournaments.selectors.playoffs.playoffs import PlayoffView
from tournaments.templatetags.tables import table_name
from tournaments.views.events.manage.facts import ManageAct, ManageFacts, ManageStep


def filed_hands(facts: ManageFacts) -> Iterator[ManageStep]:
    for hand in facts.filed:
        act = facts.resolve_act(hand)
        names = {"act": act.text, "table": hand.table, "round": hand.round}
        yield ManageStep(
            _("%(act)s at table %(table)s") % names,
            _(
                "The entry is saved as disputed. It does not count before it is corrected, and the "
                "results of round %(round)s cannot become final."
            )
            % names,
            act,
            facts.open_table_act(hand.code, hand.table),
            tone="bad",
        )


def imported_hands(facts: ManageFacts) -> Iterator[ManageStep]:
    for tile in facts.board.tiles if facts.board else ():
        for problem in tile.problems[:1]:
            count = len(tile.problems)
            text = ngettext(
                "An imported hand of the table has a mistake and does not count: %(message)s",
                "%(n)s imported hands of the table have mistakes and do not count: %(message)s",
                count,
            )
            yield ManageStep(
                _("Resolve the import at table %(table)s") % {"table": tile.number},
                text % {"n": count, "message": problem.message},
                ManageAct(
                    _("Resolve problem"),
                    facts.url("problem", problem.batch.number, problem.position),
                    "import_sheets",
                ),
                facts.open_table_act(tile.code, tile.number),
                tone="bad",
            )


def empty_seats(facts: ManageFacts) -> Iterator[ManageStep]:
    current, board = facts.current, facts.board
    if current is None or board is None or current.state == RoundState.DRAFT:
        return
    for tile in board.tiles:
        empty = [seat for seat in tile.seats if seat["gone"]]
        if tile.state not in ("empty", "seated", "play", "disp") or not (
            empty or tile.state == "empty"
        ):
            continue
        names = {"table": tile.number, "name": empty[0]["name"] if empty else ""}
        begun = tile.n_hands or tile.state == "play"
        yield ManageStep(
            _("Seat a player at table %(table)s") % names,
            _("%(name)s left the table. It cannot go on with an empty seat.") % names
            if empty
            else _("Nobody sits at the table."),
            ManageAct(
                _("Change players") if begun else _("Change seats"),
                facts.url("change-players" if begun else "table-seating", tile.code),
            ),
            tone="bad",
        )


def open_disputes(facts: ManageFacts) -> Iterator[ManageStep]:
    for dispute in facts.disputes:
        table = dispute.hand.game.table
        names = {"hand": dispute.hand.number, "table": table.number, "round": table.round.number}
        yield ManageStep(
            _("Decide the dispute at table %(table)s") % names,
            _(
                "Hand %(hand)s of round %(round)s is disputed. It keeps its score until you "
                "decide, and the results cannot become final before."
            )
            % names,
            facts.decide_dispute_act(dispute.number),
            facts.open_table_act(table.code, table.number),
        )


def upheld_disputes(facts: ManageFacts) -> Iterator[ManageStep]:
    for dispute in facts.upheld:
        hand, table = dispute.hand, dispute.hand.game.table
        names = {"hand": hand.number, "table": table.number, "dispute": dispute.number}
        names["round"] = table.round.number
        page = "edit-hand" if hand.number else "totals"
        yield ManageStep(
            _("Correct the hand of dispute %(dispute)s") % names,
            _(
                "Dispute %(dispute)s was upheld. Hand %(hand)s of round %(round)s still counts as "
                "it was entered."
            )
            % names,
            ManageAct(
                _("Correct hand %(hand)s") % names,
                facts.url(page, table.code, *filter(None, [hand.number])),
                "correct_closed",
            ),
            facts.open_table_act(table.code, table.number),
        )


def reviews(facts: ManageFacts) -> Iterator[ManageStep]:
    for playoff in facts.playoffs:
        if playoff.is_asked:
            act = facts.decide_playoff_act(playoff.number)
            yield ManageStep(
                act.text,
                _(
                    "A correction changes the tie. The standings are not published again before "
                    "you keep the result or have it replayed."
                ),
                act,
            )
    for number in facts.asked_stages:
        yield ManageStep(
            _("Decide who goes on in stage %(number)s") % {"number": number},
            _("A correction affects who goes on. Read what would change, then decide."),
            facts.decide_stage_act(number),
        )


def live_playoffs(facts: ManageFacts) -> Iterator[ManageStep]:
    for playoff in facts.playoffs:
        if playoff.is_asked or not playoff.is_live:
            continue
        names = {"number": playoff.number}
        page = facts.url("playoff", playoff.number)
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
    playing = [member.player for member in playoff.members if member.status == "playing"]
    where = [table_name(open_table.code).lower() for open_table in playoff.open_tables]
    if where and len(playing) < len(playoff.members):
        facts = {"who": listed(playing), "where": listed(where)}
        return _("%(who)s play on at %(where)s.") % facts
    count = len(playoff.members)
    return ngettext("%(n)s is tied at a cut-off.", "%(n)s are tied at a cut-off.", count) % {
        "n": count
    }
