"""A form arrives twice at the same moment: it is stored once, and both get the first answer."""

from functools import partial

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Within
from tests.support.pages.adjustments import digest_in
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.standings import LedgerLine
from tournaments.services.events.events import enter_players

pytestmark = pytest.mark.pg


def test_line_that_arrives_twice_at_once_is_stored_once(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside)
        enter_players(event=event, players=players(event.club, "Ada A.", "Bo B."))
        clients = [cast.client("dirk") for _ in range(2)]
    for turn in range(short_or_long(3, 20)):
        line = {"entrant": "RL01", "kind": "penalty", "amount": "2", "reason": f"Late, {turn}."}
        with within():
            preview = clients[0].post(f"{ADDRESS}/ledger/new", line)
        sent = line | {"previewed": digest_in(preview)}
        actions = [partial(send, client, sent) for client in clients]
        assert within.together(*actions) == [f"302 {ADDRESS}/ledger"] * 2
        with within():
            assert LedgerLine.objects.count() == turn + 1


def send(client: Client, line: dict[str, str]) -> str:
    answer = client.post(f"{ADDRESS}/ledger/new", line | {"csrfmiddlewaretoken": "a-page"})
    return f"{answer.status_code} {answer['Location']}"
