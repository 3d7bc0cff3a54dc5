"""Permissions: one table of role by right, and the actor of a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

PUBLIC: Final = "public"
PLAYER: Final = "player"
LINK: Final = "link"
"""The role of who holds a table's link; only ever at that table."""
PERSON: Final = "person"
"""The role of who holds a player's personal link; only ever for that player."""
REACHED: Final = "reached person"
"""The same, in a request that a mail confirms whose address came by the personal link alone."""
CONFIRMED: Final = "confirmed person"
"""The same, where the club vouches for the address of that mail."""
EVENING: Final = "person of an evening"
"""The role of who typed the code of a personal card: only for its player and this evening."""
HOST: Final = "host"
DIRECTOR: Final = "director"
OWNER: Final = "owner"
WITHHELD: Final = "withheld"
"""The role of a director or owner who must add or show a second factor first: a player's."""

CLOSING: Final = "closing"
"""The role of an owner while the club waits for its deletion: reading, exporting, undoing it."""

_HOSTS: Final = frozenset({HOST, DIRECTOR, OWNER})
_DIRECTORS: Final = frozenset({DIRECTOR, OWNER})
_MEMBERS: Final = frozenset({PLAYER, WITHHELD, HOST, DIRECTOR, OWNER})
_AT_THE_TABLE: Final = frozenset({LINK})
_UNTIL_DELETED: Final = frozenset({CLOSING})
_CONFIRMED: Final = frozenset({CONFIRMED})
_REACHED: Final = frozenset({REACHED, CONFIRMED})
_PERSON: Final = frozenset({PERSON, REACHED, CONFIRMED})

MAY: Final[Mapping[str, frozenset[str]]] = {
    "read_public": frozenset({PUBLIC}) | _MEMBERS | _AT_THE_TABLE | _UNTIL_DELETED,
    "read_members": _MEMBERS | _AT_THE_TABLE | _UNTIL_DELETED,
    "read_held": _DIRECTORS | _AT_THE_TABLE | _UNTIL_DELETED,
    # Of an event that one may read: what is seated and not posted, for those who seat.
    "read_draft": _DIRECTORS | _UNTIL_DELETED,
    "enter_hand": _HOSTS | _AT_THE_TABLE,
    # The hand that they entered themselves, for a while, as the service asks.
    "undo_own_hand": _HOSTS | _AT_THE_TABLE,
    "seat_open_table": _HOSTS,
    "close_table": _HOSTS,
    "extend_round": _HOSTS,
    "import_sheets": _HOSTS,
    "correct_closed": _DIRECTORS,
    "void_hand": _DIRECTORS,
    "remove_photo": _DIRECTORS,
    "file_disputed": _DIRECTORS,
    "penalize": _DIRECTORS,
    # A player at hands of their own table only, as the service asks.
    "open_dispute": _MEMBERS | _AT_THE_TABLE,
    "rule_on_disputes": _DIRECTORS,
    # A player about themselves only, as the service asks.
    "note_own_result": _MEMBERS | _PERSON,
    # Who opened it and who sat there read it too, as the selector asks.
    "read_dispute": _HOSTS | _AT_THE_TABLE | _UNTIL_DELETED,
    # A player for themselves only, a link for its own table, as the service asks.
    "challenge": _MEMBERS | _CONFIRMED,
    "confirm_result": _MEMBERS | _AT_THE_TABLE | _CONFIRMED,
    "manage_event": _DIRECTORS,
    "publish": _DIRECTORS,
    "house_rules": _DIRECTORS,
    "manage_links": _DIRECTORS,
    "take_attendance": _HOSTS,
    # A player for themselves only, as the service asks.
    "check_in": _MEMBERS | _PERSON,
    "check_in_tonight": frozenset({EVENING}),
    # What the holder of a personal link changes of that player; more needs a confirmation by mail.
    "own_link": _PERSON,
    "confirmed_link": _REACHED,
    "edit_players": _DIRECTORS,
    # Mail addresses and personal links of people without an account.
    "read_contacts": _DIRECTORS | _UNTIL_DELETED,
    "manage_contacts": _DIRECTORS,
    "add_guest": _HOSTS,
    "link_players": _DIRECTORS,
    "merge_players": _DIRECTORS,
    # A player for their own record only, as the service asks.
    "edit_own_player": _MEMBERS | _CONFIRMED,
    # By the settings of a club its directors too, as the service asks.
    "create_event": _DIRECTORS,
    "archive_event": frozenset({OWNER}),
    "manage_members": frozenset({OWNER}),
    "manage_club": frozenset({OWNER}),
    "export_club": frozenset({OWNER}) | _UNTIL_DELETED,
    # To ask for it and to undo it.
    "delete_club": frozenset({OWNER}) | _UNTIL_DELETED,
    "manage_club_tokens": frozenset({OWNER}),
    "manage_webhooks": frozenset({OWNER}),
    "erase_player": frozenset({OWNER}),
    "export_player": frozenset({OWNER}) | _UNTIL_DELETED,
    "read_audit": frozenset({OWNER}) | _UNTIL_DELETED,
    # Reading mails, and sending one again, which a club that waits for its deletion does not do.
    "read_mail": frozenset({OWNER}),
    # Asked outside any club: whoever has an account, for themselves.
    "own_account": frozenset({PUBLIC}) | _MEMBERS,
    # Whoever shows an invitation that works; its token is asked for by the service.
    "join_club": frozenset({PUBLIC}) | _MEMBERS,
    # Asked outside any club, so of no role: whoever signs in, where the site does not reserve it.
    "make_club": frozenset({PUBLIC}) | _MEMBERS,
}
"""Right → the roles that have it. A site administrator may do everything."""

_READS: Final = frozenset(
    {"read_public", "read_members", "read_held", "read_draft", "read_dispute"}
)
SCOPES: Final[Mapping[str, frozenset[str]]] = {
    "read": _READS,
    "enter": _READS
    | {"enter_hand", "seat_open_table", "close_table", "import_sheets", "open_dispute"}
    | {"note_own_result"}
    | {"challenge", "confirm_result", "take_attendance", "check_in", "extend_round"}
    | {"undo_own_hand"},
    "manage": frozenset(MAY),
}
"""Scope of a token → the rights that it gives its bearer, as far as their role has them."""


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """The one table that a link opens, by its row and by its address below its event."""

    link_id: int
    event_id: int
    table_id: int
    code: str


@dataclass(frozen=True, slots=True)
class OpenedPlayer:
    """The one player of a personal link, by its row, and the role that its holder has there.

    `evening` is the only day whose evenings are the holder's, None where all are.
    """

    link_id: int
    player_id: int
    role: str = PERSON
    evening: date | None = None


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor: a signed-in user, the public, a link's holder, or a command run on the server.

    `name` is what pages show beside an entry; audit lines hold `label` only. `scope` and `club_id`
    are the bounds of the token that a program came with, `at` is the table of a link and `person`
    the player of a personal link; empty without one. `without_factor` marks a session that showed
    no second factor, and a token that such a session made: a role that requires one is withheld.
    `lacks_factor` marks a site administrator whose rights wait for a second factor.
    """

    kind: Literal["user", "public", "link", "person", "command"]
    user_id: int | None = None
    name: str = ""
    is_site_admin: bool = False
    scope: str = ""
    club_id: int | None = None
    at: OpenedTable | None = None
    person: OpenedPlayer | None = None
    lacks_factor: bool = False
    without_factor: bool = False

    def is_within_scope(self, right: str) -> bool:
        """Whether the token, if there is one, allows `right`."""
        return not self.scope or right in SCOPES[self.scope]

    @property
    def label(self) -> str:
        """Return `user:7`, `link:3`, `person:3`, `command:demo` or `public`; ids, no names."""
        if self.kind == "user":
            return f"user:{self.user_id}"
        if self.at is not None:
            return f"link:{self.at.link_id}"
        if self.person is not None:
            return f"person:{self.person.link_id}"
        if self.kind != "command":
            return "public"
        return f"command:{self.name}"


ANYBODY: Final = Actor("public")


def shown_role(role: str) -> str:
    """Return the role recorded with an operation; a withheld role counts as player."""
    if role in (WITHHELD, PERSON, REACHED, CONFIRMED, EVENING):
        return PLAYER
    return OWNER if role == CLOSING else role


def command(name: str) -> Actor:
    return Actor("command", name=name, is_site_admin=True)


CLOCK: Final = command("clock")
"""Who acts when a deadline has passed."""


def may(role: str, right: str) -> bool:
    """Whether `role` has `right`; a right that is not in the table is a caller's bug.

    >>> may("host", "enter_hand"), may("player", "enter_hand")
    (True, False)
    """
    return role in MAY[right]
