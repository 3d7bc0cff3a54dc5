"""Tables with the links that open them, for their director; and the tables of a host."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q, QuerySet

from tournaments.models.events import Event, Visibility
from tournaments.models.hands import Hand
from tournaments.models.links import TableLink
from tournaments.models.meetings import Sitting, Table
from tournaments.policy import MAY, Actor
from tournaments.selectors.access.table_links import CODE_OPENS
from tournaments.selectors.clubs.clubs import with_role
from tournaments.selectors.hands.totals_only import hands_of_games


@dataclass(frozen=True, slots=True)
class LinkedTable:
    """A table with its round, game, event and club, who sits there, and the link that works now."""

    table: Table
    players: tuple[str, ...]
    link: TableLink | None = None
    hands: int = 0


def linked_tables(
    event: Event, now: datetime, *, round_number: int | None = None, code: str = ""
) -> Sequence[LinkedTable]:
    """Return the tables of a round, or the one under `code`, each with its link; by number."""
    tables = Table.objects.filter(event=event)
    if round_number is not None:
        tables = tables.filter(round__number=round_number)
    if code:
        tables = tables.filter(code=code)
    return _shown(tables.order_by("number"), now)


def tables_with_links(event: Event, now: datetime) -> Sequence[LinkedTable]:
    """Return the tables of an event that a link opens now; by number."""
    opened = working_links(now).filter(table__event=event)
    tables = Table.objects.filter(pk__in=opened.values("table"))
    return _shown(tables.order_by("round__number", "number"), now)


def tables_of_host(actor: Actor, now: datetime) -> Sequence[LinkedTable]:
    """Return the tables that are played now wherever `actor` enters hands by their role.

    Those are the tables of posted and played rounds of open events, and of play-offs, whose event
    is closed, by club, event and number. Events that are held back from hosts are left out.
    """
    played = Q(event__state="open") | Q(game__counts=False)
    tables = Table.objects.filter(played, round__state__in=CODE_OPENS)
    if not actor.is_site_admin:
        enters, reads_held = sorted(MAY["enter_hand"]), sorted(MAY["read_held"])
        tables = tables.annotate(role=with_role(actor, "club")).filter(role__in=enters)
        tables = tables.filter(~Q(event__visibility=Visibility.HELD) | Q(role__in=reads_held))
    return _shown(tables.order_by("club__name", "event__name", "round__number", "number"), now)


def _shown(tables: QuerySet[Table], now: datetime) -> Sequence[LinkedTable]:
    """Four queries."""
    rows = list(tables.select_related("club", "event", "round__meeting", "game"))
    ids = [row.pk for row in rows]
    links = {link.table_id: link for link in working_links(now).filter(table__in=ids)}
    seated: dict[int, list[str]] = {}
    sittings = Sitting.objects.filter(seat__table__in=ids, to_hand__isnull=True)
    for sitting in sittings.select_related("seat", "player").order_by("seat__number"):
        seated.setdefault(sitting.seat.table_id, []).append(sitting.player.name)
    totals = hands_of_games([row.game.pk for row in rows])
    return tuple(
        LinkedTable(
            row,
            tuple(seated.get(row.pk, ())),
            links.get(row.pk),
            (totals[row.game.pk] or 0) if row.game.pk in totals else row.game.hands_counted,
        )
        for row in rows
    )


def working_links(now: datetime) -> QuerySet[TableLink]:
    """Return the links that are neither revoked nor expired."""
    return TableLink.objects.filter(revoked_at__isnull=True, expires_at__gt=now)


@dataclass(frozen=True, slots=True)
class LinkPage:
    """What a link's own page says of its table."""

    table: Table
    players: tuple[str, ...]
    hands: int
    is_open: bool

    @property
    def is_abandoned(self) -> bool:
        """Whether the table takes no hands, though its round is open."""
        return self.table.game.state == "abandoned"

    @property
    def is_complete(self) -> bool:
        """Whether the game there is over: its rules, its number of hands or a person ended it."""
        return self.table.game.state in ("complete", "checked")

    @property
    def next_hand(self) -> int:
        """The number of the hand that comes next."""
        return self.hands + 1


def table_opened(link: TableLink) -> LinkPage:
    """Return the table of a link that was read with its round, event and club; three queries."""
    table = link.table
    seated = Sitting.objects.filter(seat__table=table, to_hand__isnull=True)
    names = seated.order_by("seat__number").values_list("player__name", flat=True)
    last = Hand.objects.filter(game__table=table).aggregate(last=Max("number"))["last"]
    is_open = table.round.state in CODE_OPENS and (
        table.event.state == "open" or not table.game.counts
    )
    return LinkPage(table, tuple(names), last or 0, is_open)
