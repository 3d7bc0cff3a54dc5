"""Which table a link opens, and tables with the links that open them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.core import signing
from django.db import connection
from django.db.models import Max, Q, QuerySet
from django.utils.crypto import salted_hmac

from tournaments.errors import Missing
from tournaments.models.access import TableLink, token_digest
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Visibility
from tournaments.models.hands import Hand
from tournaments.models.rounds import Round, Sitting, Table
from tournaments.policy import MAY, Actor, OpenedTable, may
from tournaments.selectors.clubs.clubs import get_role, with_role
from tournaments.selectors.db.statements import RowMapper, cut, one_row
from tournaments.selectors.hands.games import hands_of_games

LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Characters of a short code, without 0, O, 1 and I."""


CODE_LENGTH: Final = 8
CODE_OPENS: Final = ("posted", "playing")
"""States of a round in which its short codes work."""


COOKIE: Final = f"{settings.COOKIE_PREFIX}table_link"
"""Cookie of a table link after its first use."""


_SALT: Final = "tournaments.links"


@dataclass(frozen=True, slots=True)
class LinkSecrets:
    """The secrets that open a table: the token of its QR code, and its short code."""

    token: str
    code: str

    @property
    def code_in_print(self) -> str:
        return f"{self.code[:4]}-{self.code[4:]}"


_PARTS: Final = (
    RowMapper(TableLink, "l"),
    RowMapper(Table, "t"),
    RowMapper(Round, "r"),
    RowMapper(Event, "e"),
    RowMapper(Club, "c"),
)
_STATEMENT: Final = f"""
    SELECT {", ".join(map(str, _PARTS))}
    FROM tournaments_tablelink l
    JOIN tournaments_table t ON t.id = l.table_id
    JOIN tournaments_round r ON r.id = t.round_id
    JOIN tournaments_event e ON e.id = t.event_id
    JOIN tournaments_club c ON c.id = l.club_id
    WHERE l.{{column}} = %s AND l.revoked_at IS NULL AND l.expires_at > %s
        AND c.delete_after IS NULL
"""  # noqa: S608 - names of our own columns


def secrets_of(seed: str) -> LinkSecrets:
    """Return the secrets that the server's key makes of a link's seed; 256 and 40 bits."""
    token = salted_hmac(f"{_SALT}.token", seed, algorithm="sha256").digest()
    code = short_code(f"{_SALT}.code", seed, length=CODE_LENGTH)
    return LinkSecrets(signing.b64_encode(token).decode(), code)


def short_code(purpose: str, seed: str, *, length: int) -> str:
    """Return the short code that the server's key makes of a seed for a purpose."""
    bits = int.from_bytes(salted_hmac(purpose, seed, algorithm="sha256").digest(), "big")
    letters = []
    for _ in range(length):
        bits, letter = divmod(bits, len(LETTERS))
        letters.append(LETTERS[letter])
    return "".join(letters)


def printable_secret(link: TableLink) -> LinkSecrets | None:
    """Return the secrets of a link for printing; None if the server's key has changed."""
    secrets = secrets_of(link.seed)
    return secrets if token_digest(secrets.token) == link.token_digest else None


def code_digest(code: str) -> str:
    """Return the stored digest of a short code: keyed, since 40 bits could be tried out."""
    return salted_hmac(f"{_SALT}.kept", code, algorithm="sha256").hexdigest()


def read_code(typed: str) -> str:
    """Return a short code as it was meant: case, blanks and hyphens do not count.

    >>> read_code(" k7wm - 4tqx"), read_code("K7WM–4TQX")
    ('K7WM4TQX', 'K7WM4TQX')
    """
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def find_link_by_token(token: str, now: datetime) -> TableLink | None:
    """Return the link that works and has this token, with its table, round, event and club."""
    return _working("token_digest", token_digest(token), now)


def find_link_by_code(typed: str, now: datetime) -> TableLink | None:
    """Return the link that works and has this short code, while its round is posted or playing."""
    link = _working("code_digest", code_digest(read_code(typed)), now)
    return link if link is not None and link.table.round.state in CODE_OPENS else None


def find_link_in_cookie(cookie: str, now: datetime) -> tuple[TableLink | None, str]:
    """Return the valid link that a cookie refers to, and the name typed with it."""
    try:
        seed, name = signing.loads(cookie, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        seed, name = "", ""
    return _working("seed", str(seed), now), str(name)


def _working(column: str, value: str, now: datetime) -> TableLink | None:
    moment = connection.ops.adapt_datetimefield_value(now)
    row = one_row(_STATEMENT.format(column=column), (value, moment))
    if row is None:
        return None
    link, table, round_, event, club = cut(row, *_PARTS)
    event.club = club
    table.round, table.event, table.club = round_, event, club
    link.table, link.club = table, club
    table_link: TableLink = link
    return table_link


def cookie_of(link: TableLink, name: str) -> str:
    return signing.dumps([link.seed, name], salt=_SALT, compress=True)


def link_holder(link: TableLink, name: str) -> Actor:
    """Return who acts with a link: bound to its table, under the name that they typed."""
    table = link.table
    return Actor(
        "link",
        name=name,
        club_id=link.club_id,
        at=OpenedTable(link.pk, table.event_id, table.pk, table.code),
    )


def actor_at(
    actor: Actor, cookie: str, *, club: str, event: str, code: str, now: datetime
) -> Actor | None:
    """Return the actor at a table's address by the link's cookie; None if the link is not valid.

    A user whose role may enter hands there acts as that user.
    """
    link, name = find_link_in_cookie(cookie, now)
    if link is None:
        return None
    table = link.table
    if (table.event.club.slug, table.event.slug, table.code) != (club, event, code):
        return None
    if actor.kind == "user":
        role = get_role(actor, link.club_id)
        if may(role, "enter_hand"):
            return actor
    return link_holder(link, name)


def list_linked_tables(
    event: Event, now: datetime, *, round_number: int | None = None, code: str = ""
) -> Sequence[Table]:
    """Return tables with round, game, event and club, their players, and the link that works."""
    tables = Table.objects.filter(event=event)
    if round_number is not None:
        tables = tables.filter(round__number=round_number)
    if code:
        tables = tables.filter(code=code)
    return _shown(tables.order_by("number"), now)


def get_linked_table(event: Event, code: str, now: datetime) -> Table:
    tables = list_linked_tables(event, now, code=code) if code else ()
    if not tables:
        raise Missing("table", {"table": code})
    return tables[0]


def list_tables_with_links(event: Event, now: datetime) -> Sequence[Table]:
    opened = list_working_links(now).filter(table__event=event)
    tables = Table.objects.filter(pk__in=opened.values("table"))
    return _shown(tables.order_by("round__number", "number"), now)


def list_tables_of_host(actor: Actor, now: datetime) -> Sequence[Table]:
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


def _shown(tables: QuerySet[Table], now: datetime) -> Sequence[Table]:
    rows = list(tables.select_related("club", "event", "round__meeting", "game"))
    ids = [row.pk for row in rows]
    links = {link.table_id: link for link in list_working_links(now).filter(table__in=ids)}
    seated: dict[int, list[str]] = {}
    sittings = Sitting.objects.filter(
        round__in={row.round_id for row in rows}, seat__table__in=ids, to_hand__isnull=True
    )
    for sitting in sittings.select_related("seat", "player").order_by("seat__number"):
        seated.setdefault(sitting.seat.table_id, []).append(sitting.player.name)
    totals = hands_of_games([row.game.pk for row in rows])
    for row in rows:
        row.players, row.link = seated.get(row.pk, ()), links.get(row.pk)
        row.n_hands = totals.get(row.game.pk, row.game.hands_counted) or 0
    return rows


def list_working_links(now: datetime) -> QuerySet[TableLink]:
    return TableLink.objects.filter(revoked_at__isnull=True, expires_at__gt=now)


def list_seated(table: Table) -> Sequence[tuple[str, str]]:
    sittings = Sitting.objects.filter(seat__table=table, to_hand__isnull=True)
    return list(sittings.order_by("seat__number").values_list("player__player_id", "player__name"))


def next_hand_number(table: Table) -> int:
    hands = Hand.objects.filter(game__table=table).exclude(state="void", undone=True)
    last = hands.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def is_open_for_link(table: Table) -> bool:
    is_current = table.event.is_open or not table.game.counts
    return table.round.state in CODE_OPENS and is_current
