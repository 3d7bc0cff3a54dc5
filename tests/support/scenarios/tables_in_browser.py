"""A host in a browser with a table of each of several variants, for the tests of a module."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from django.core.management import call_command
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import Screen, Walk, launched, session_cookie, walk_in
from tests.support.builders import enter_the_cast, league, players, table

NAMES = (
    "Marit S.", "Jörg S.", "Cleo S.", "Konstantin K.", "Anouk", "Bram", "Chiara", "Didier", "Esra",
    "Filip", "Gwen", "Hanno", "Ines",
)  # fmt: skip
ON_A_PHONE: Screen = (390, "light")


@dataclass(frozen=True)
class TableEvening:
    """A browser in which a host is signed in, and the code of the table of each variant."""

    walk: Walk
    codes: Mapping[tuple[str, int], str]


@contextmanager
def evening_of_tables(
    blocker: DjangoDbBlocker,
    chromium: str,
    tables: Sequence[tuple[str, int]],
    screen: Screen = ON_A_PHONE,
) -> Iterator[TableEvening]:
    """Seat a table of each variant and number of players; the rows go when the block ends."""
    with blocker.unblock(), ExitStack() as stack:
        stack.callback(call_command, "flush", verbosity=0, interactive=False)
        cast = enter_the_cast()
        event, people = league(cast.riverside), players(cast.riverside, *NAMES)
        codes = {}
        for number, (variant, seats) in enumerate(tables, start=1):
            game = table(event, people[:seats], round_number=number, variant=variant)
            codes[variant, seats] = game.table.code
        hanna = cast.client("hanna")
        server = LiveServer("localhost")
        stack.callback(server.stop)
        browser = stack.enter_context(launched(chromium))
        walk = walk_in(browser, server.url, screen)
        walk.page.context.add_cookies([session_cookie(hanna, server.url)])
        yield TableEvening(walk, codes)
