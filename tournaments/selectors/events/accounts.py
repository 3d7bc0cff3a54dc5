"""Which accounts stand behind entrants and seats: those of players who are linked to one."""

from collections.abc import Iterable, Mapping

from tournaments.models.events import EntrantMember
from tournaments.models.meetings import Round, Sitting


def accounts_of_entrants(entrant_ids: Iterable[int]) -> set[int]:
    """Return the accounts of the players of some entrants."""
    rows = EntrantMember.objects.filter(entrant_id__in=set(entrant_ids), player__user__isnull=False)
    return {found for found in rows.values_list("player__user_id", flat=True) if found}


def accounts_at_table(table_id: int) -> set[int]:
    """Return the accounts of everybody who sat at a table for some hand."""
    rows = Sitting.objects.filter(seat__table=table_id, player__user__isnull=False)
    return {found for found in rows.values_list("player__user_id", flat=True) if found}


def tables_by_account(round_: Round) -> Mapping[int, int]:
    """Return at which table of a round each account sits now; one query."""
    rows = Sitting.objects.filter(
        round=round_, to_hand__isnull=True, player__user__isnull=False
    ).exclude(seat__table__game__state="abandoned")
    found = rows.order_by("pk").values_list("player__user_id", "seat__table_id")
    return {account: table for account, table in found if account is not None}
