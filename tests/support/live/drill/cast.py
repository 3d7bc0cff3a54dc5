"""Those who write in a drill, each a thread: hosts over REST and on pages, and directors."""

import re
import threading
from http.client import HTTPException
from typing import Any, Final

from tests.support.live.drill.account import KINDS_OF_SHEETS, HandId, Sheet
from tests.support.live.drill.people import (
    CLUB,
    CREATED,
    DONE,
    HANDS,
    NOTE,
    OVERTAKEN,
    Evening,
    Night,
    Person,
    correct,
    path_of,
)
from tests.support.live.page_client import SIGN_IN, Browser
from tests.support.live.rest_client import Answer

NAMES: Final = (
    "=1+1 Late", "+49 Late", "@SUM(A1) Late", "-2 Late", "<script>alert(1)</script>", "Łukasz Ż.",
    "İnci I.", "O'Brien; DROP TABLE", "＝1+1 Late", "Ab" * 30,
)  # fmt: skip
"""Beginnings of the names of those who come late."""


class Host(Person):
    """Enters the hands of a table, and corrects some."""

    ROLE = "host"
    OVERTAKEN = OVERTAKEN | {403}  # the director has closed the round
    PAUSE_S = 0.8

    def __init__(self, night: Night, name: str, token: str, evening: Evening, place: int) -> None:
        super().__init__(night, name, token)
        self._evening, self._place = evening, place
        self._number = 0

    def act(self) -> None:
        evening = self._evening
        with evening.playing:
            code = evening.tables.get(self._place)
        if code is None:
            return
        draw = self.chance.random()
        if self._number and draw < 0.15:
            self._correct(code)
        else:
            self._number += 1
            self._enter(code, is_doubled=draw > 0.95)
        if self._number == HANDS:
            self._number = 0
            with evening.playing:
                evening.tables.pop(self._place)
                evening.playing.notify_all()
            if self.chance.random() < 0.5:  # the director closes the round at this moment
                self._correct(code, number=HANDS)

    def _enter(self, code: str, *, is_doubled: bool) -> None:
        hand = HandId(self._evening.slug, code, self._number)
        sheet = Sheet(self.chance.randrange(KINDS_OF_SHEETS))
        path = path_of(hand, is_new=True)
        body = {"number": hand.number, "entry": sheet.entry, "note": NOTE}
        key = {"Idempotency-Key": self.new_key()}

        def enter(act: str) -> None:
            self._note(hand, self.insist("POST", path, body, expected=CREATED, **key), sheet, act)

        twin = threading.Thread(target=enter, args=("hands sent twice at once",))
        if is_doubled:
            twin.start()
        enter("hands")
        if is_doubled:
            twin.join()

    def _correct(self, code: str, number: int = 0) -> None:
        hand = HandId(self._evening.slug, code, number or self.chance.randint(1, self._number))
        correct(self, hand, "corrections by hosts")

    def _note(self, hand: HandId, answer: Answer, sheet: Sheet, act: str) -> None:
        if answer.status in CREATED | DONE:
            self.account.acknowledge(hand, answer.json["revision"], sheet)
            self.account.acted(act)


class PageHost(Host):
    """A host who is signed in and enters new hands on the page."""

    def __init__(self, night: Night, name: str, token: str, evening: Evening, place: int) -> None:
        super().__init__(night, name, token, evening, place)
        self._browsers = [Browser(night.machines[0].web)]
        self._browsers += [self._browsers[0].at(machine.web) for machine in night.machines[1:]]
        self._is_signed_in = False

    def _open(self, path: str, typed: dict[str, str] | None = None) -> Answer:
        browser = self._browsers[self._turn % len(self._browsers)]
        try:
            return browser.open(path, typed)
        except (OSError, HTTPException):
            return Answer(0)

    def _enter(self, code: str, *, is_doubled: bool) -> None:
        if not self._is_signed_in:
            self.repeat(SIGN_IN, lambda: self._browsers[0].sign_in(self.name), DONE)
            self._is_signed_in = True
        hand = HandId(self._evening.slug, code, self._number)
        sheet = Sheet(self.chance.randrange(KINDS_OF_SHEETS))
        path = f"{self._evening.page}/tables/{code}/hands/new?number={hand.number}"
        form = _hidden(self.repeat(f"GET {path}", lambda: self._open(path), DONE))
        form |= {f"hearts-{seat}": str(n) for seat, n in enumerate(sheet.hearts, start=1)}
        form |= {"card-QS": str(sheet.queen + 1), "go": "save"}
        answer = self.repeat(f"POST {path}", lambda: self._open(path, form), DONE)
        shown = _hidden(answer)
        # A form that is sent again is answered with the hand, to be corrected.
        is_stored = "based_on" in shown or shown.get("number") not in (None, str(hand.number))
        if not is_stored:
            self.account.complain(f"{path}: {answer.status} {answer.body[-3000:]!r}")
            return
        self.account.acknowledge(hand, 1, sheet)
        self.account.acted("hands entered on the page")


def _hidden(answer: Answer) -> dict[str, str]:
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', answer.body.decode())
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


class Director(Person):
    """Seats round after round, corrects hands, adds players who come late, closes rounds."""

    ROLE = "director"
    PAUSE_S = 1.5

    def __init__(self, night: Night, name: str, token: str, evening: Evening, tables: int) -> None:
        super().__init__(night, name, token)
        self._evening, self._tables = evening, tables

    def act(self) -> None:
        evening = self._evening
        with evening.playing:
            is_over = not evening.tables
        if is_over:
            self._close()
            if evening.round_number % 2:
                self._add_player()
            self._seat()
            return
        if hands := self.account.hands_of(evening.slug):
            if self.chance.random() < 0.2:
                self._delete_and_restore(self.chance.choice(hands))
            else:
                correct(self, self.chance.choice(hands), "corrections by directors")

    def _delete_and_restore(self, hand: HandId) -> None:
        sheet, version = self.account.sheet(hand), {"If-Match": f'"{self.account.newest(hand)}"'}
        path, body = path_of(hand), {"reason": "Entered for another table."}
        answer = self.insist("POST", f"{path}/void", body, expected=DONE | OVERTAKEN, **version)
        if answer.status in DONE:
            answer = self.insist("POST", f"{path}/restore", body, expected=DONE)
            self.account.acknowledge(hand, answer.json["revision"], sheet)
            self.account.acted("hands deleted and restored")

    def _post(self, path: str, body: object, expected: frozenset[int]) -> Any:
        return self.insist("POST", f"{self._evening.address}/{path}", body, expected=expected).json

    def _close(self) -> None:
        if number := self._evening.round_number:
            self._post(f"rounds/{number}/close-tables", {}, DONE)
            self._post(f"rounds/{number}/state", {"to": "closed"}, DONE)
            self.account.acted("rounds closed")

    def _add_player(self) -> None:
        name = f"{self.chance.choice(NAMES)} {self.chance.randrange(10**6)}"
        answer = self.insist("POST", f"{CLUB}/players", {"name": name}, expected=CREATED)
        self._evening.players.append(answer.json["player_id"])
        self.account.acted("players who came late")

    def _seat(self) -> None:
        evening, number = self._evening, self._evening.round_number + 1
        seated = self.chance.sample(evening.players, 4 * self._tables)
        tables = [{"seats": seated[at : at + 4]} for at in range(0, len(seated), 4)]
        self._post("rounds", {"number": number, "tables": tables}, CREATED)
        posted = self._post(f"rounds/{number}/state", {"to": "posted"}, DONE)
        with evening.playing:
            evening.round_number = number
            codes = [table["code"] for table in posted["tables"]]
            evening.tables.update(enumerate(codes))
