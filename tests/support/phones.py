"""A host's phone in a hall: a browser with its own signal, and what its page says of its queue."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Error, Locator, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import (
    ARGUMENTS,
    HEIGHT,
    PATIENCE_MS,
    Cookie,
    Walk,
    session_cookie,
    walk_in,
)
from tests.support.pages.hand_entry import NEW
from tests.support.scenarios.evenings import Evenings
from tournaments.models.hands import Entry
from tournaments.models.rounds import Table
from tournaments.selectors.access.table_links import COOKIE, secrets_of
from tournaments.services.access.table_links import make_link

WIDTH = 390


def signed_in(evenings: Evenings, live_server: LiveServer, name: str = "hanna") -> Cookie:
    return session_cookie(evenings.client(name), live_server.url)


def with_a_card(evenings: Evenings, live_server: LiveServer) -> Cookie:
    """The cookie of Hanne, who opened the new link of table 2, without an account."""
    link = make_link(
        evenings.cast.operation("dirk", timezone.now()),
        Table.objects.get(event=evenings.event, code="r1t2"),
    )
    client = Client()
    client.get(f"/t/{secrets_of(link.seed).token}")
    client.post("/t", {"name": "Hanne"})
    return {"name": COOKIE, "value": client.cookies[COOKIE].value, "url": live_server.url}


class Phone:
    """One phone at table 2 of round 1, whose hand 1 is in; it is ready to lose its signal."""

    def __init__(self, walk: Walk, cookie: Cookie) -> None:
        self._is(walk)
        self.context.add_cookies([cookie])
        self.open()

    def _is(self, walk: Walk) -> None:
        self.walk, self.page = walk, walk.page
        self.context: BrowserContext = walk.page.context

    @classmethod
    def at(cls, walk: Walk) -> "Phone":
        made = cls.__new__(cls)
        made._is(walk)
        return made

    def open(self, address: str = NEW) -> None:
        """Open the page, and wait until it would open without a signal too."""
        self.page.goto(address)
        expect(self.page.locator("#outbox[data-kept=yes]")).to_have_count(1)
        expect(self.page.locator("#outbox[data-shown]")).to_have_count(1)

    def lose_signal(self) -> None:
        self.context.set_offline(True)
        expect(self.badge).to_contain_text("Offline")

    def find_signal(self) -> None:
        self.context.set_offline(False)

    def has_sent(self, total: int) -> None:
        sent = re.compile(f"{total} so far(?!, not sent)")
        expect(self.page.get_by_role("group", name="Jörg S.")).to_contain_text(sent)
        expect(self.page.locator("#outbox[data-shown]")).to_have_count(1)

    @property
    def badge(self) -> Locator:
        return self.page.locator("#outbox-badge")

    @property
    def queue(self) -> Locator:
        return self.page.locator("#outbox .queue li")

    def lines(self) -> list[str]:
        self.unfold()
        said = self.page.locator("#outbox .queue .line").all_inner_texts()
        return [re.sub(r"\s*\d\d:\d\d", "", " ".join(line.split())) for line in said]

    def fill(self, hearts: Sequence[int], queen: int | None) -> None:
        """Type the hearts of each seat; `queen` is a seat from 1."""
        for seat, count in enumerate(hearts, start=1):
            self.page.locator(f"#hearts-{seat}").fill(str(count))
        if queen is not None:
            self.page.locator(f"#card-QS-{queen}-0").check()

    def heading(self, number: int) -> None:
        """Wait until the form is for this hand, and empty."""
        expect(self.page.locator(".desk-top h1 .hand")).to_have_text(f"hand {number}")
        expect(self.page.locator("#hearts-1")).to_have_value("")

    def press(self, name: str) -> None:
        """Press a button of the page; one of the queue after its line was unfolded."""
        self.unfold()
        self.page.get_by_role("button", name=name, exact=True).click()

    def unfold(self) -> None:
        """Open the line of the queue, where there is one; a new page shows it a moment later."""
        expect(self.page.locator("#outbox:not([data-shown])")).to_have_count(0)
        self.page.evaluate(
            """() => {
              const queue = document.getElementById("outbox");
              if (queue && !queue.hidden && !queue.open) queue.querySelector("summary").click();
            }"""
        )

    def keep(
        self, number: int, hearts: Sequence[int], queen: int | None, *, answer: str = ""
    ) -> None:
        """Type a hand while there is no signal; `answer` is what is pressed where the page asks."""
        self.heading(number)
        self.fill(hearts, queen)
        self.press(f"Save hand {number} offline")
        if answer:
            self.press(answer)
        self.heading(number + 1)


@contextmanager
def browser_of_its_own(
    chromium: str, place: Path, url: str, *, is_cut_off: bool = False
) -> Iterator[Walk]:
    """A browser with its own directory on the disk, as an installed app has; it may be killed.

    Cut off, it believes in a network that lets nothing through, for its workers as well.
    """
    dead_end = ("--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>")
    with sync_playwright() as play:
        context = play.chromium.launch_persistent_context(
            place,
            executable_path=chromium,
            args=[*ARGUMENTS, *(dead_end if is_cut_off else ())],
            base_url=url,
            viewport={"width": WIDTH, "height": HEIGHT},
        )
        context.set_default_timeout(PATIENCE_MS)
        walk = Walk(context.pages[0])
        walk.page.on("pageerror", lambda error: walk.wrong.append(str(error)))
        yield walk
        with suppress(Error):  # it was killed
            context.close()


def phone(browser: Browser, url: str, cookie: Cookie) -> Phone:
    return Phone(walk_in(browser, url, (WIDTH, "light")), cookie)


def entered(code: str = "r1t2") -> list[tuple[int, int, list[int]]]:
    """What the server holds of a table in the order it came: hand, revision, hearts."""
    rows = Entry.objects.filter(hand__game__table__code=code).order_by("pk")
    return [(row.hand.number, row.revision, row.typed["hearts"]) for row in rows]
