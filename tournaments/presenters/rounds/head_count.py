"""How a head-count is seated, in words: the foot of the page of attendance."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.seating.table_sizes import TableSizes, sizes_of_rules, table_sizes
from tournaments.domain.seating.seating_preferences import read_preferences
from tournaments.models.events import Event
from tournaments.services.events.events import default_snapshot
from tournaments.services.rules.rule_sets import rules_of


def sizes_for(event: Event, players: int) -> TableSizes | None:
    """Return the tables of so many players, as the event's game and its club allow; None: none."""
    sizes = sizes_of_rules(rules_of(default_snapshot(event)))
    wanted = read_preferences(event.club.seating).allowed(sizes)
    return table_sizes(players, wanted) or table_sizes(players, sizes)


def head_count_in_words(event: Event, players: int) -> str:
    """Return "17 here: 5 tables, nobody sits out"."""
    here = _("%(n)s here") % {"n": players}
    found = sizes_for(event, players) if players else None
    if found is None:
        return _("%(here)s: too few for a table") % {"here": here}
    count = len(found.tables)
    tables = ngettext("%(n)s table", "%(n)s tables", count) % {"n": count}
    return f"{here}: {tables}, {_sits_out(found.sit_outs)}"


def _sits_out(players: int) -> str:
    if not players:
        return _("nobody sits out")
    return ngettext("%(n)s sits out", "%(n)s sit out", players) % {"n": players}
