"""Why the players of a table of a posted Swiss round meet, for whoever reads the table's page."""

from collections.abc import Sequence

from tournaments.models.events import Event
from tournaments.models.meetings import RoundState
from tournaments.policy import Actor
from tournaments.presenters.rounds.swiss_facts import reason_line
from tournaments.presenters.rounds.swiss_meetings import meetings_of, unit_names
from tournaments.selectors.clubs.linked_accounts import own_player
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.rounds.round_seating import players_with_ids
from tournaments.selectors.seating_plans.plans import plan_with_reasons


def table_reasons(actor: Actor, event: Event, sheet: TableSheet) -> Sequence[str]:
    """Return a sentence for each two players or pairs at a table, the reader's own first.

    Names are those of the sheet, and those of pairs. Two of whom somebody sits elsewhere now are
    left out. A table's link reads no standings, so it does not read the scores in these sentences
    either. No query where the round has no plan, else three at most, and two more for pairs.
    """
    if actor.kind == "link" or sheet.plan is None or sheet.round_state == RoundState.DRAFT:
        return ()
    plan, reasons = plan_with_reasons(event, *sheet.plan)
    if plan is None or not reasons:
        return ()
    shown = {seat.player_id: seat.player for seat in sheet.seats if seat.player}
    people = players_with_ids(event, list(shown))
    names = {player.pk: shown[code] for code, player in people.items()}
    reader = own_player(actor, event.club)
    own = reader.pk if reader else None
    here = [one for one in meetings_of(plan, reasons) if names.keys() >= {*one.players}]
    here.sort(key=lambda one: own not in one.players)
    called = unit_names(event, [plan], names, name_column(event))
    return [reason_line(plan, one, called, own=own) for one in here]
