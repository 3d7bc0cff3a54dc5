"""What must hold after a drill: nothing lost, doubled or stale, and everything reproducible."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from tests.support.live.drill.account import Account
from tests.support.live.drill.machines import Machine, Machines, manage
from tests.support.live.drill.people import Evening
from tests.support.live.drill.readers import Program
from tests.support.live.events import computed_anew, newest, remainder
from tests.support.live.project import wait_until
from tests.support.live.rest_client import published_hands
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand
from tournaments.models.jobs import Dirty
from tournaments.models.standings import Change, Publication

OTHER_SURROUNDINGS: Final = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}
OUTAGE: Final = re.compile(
    r"OperationalError|InterfaceError|ConnectionError|ConnectionRefusedError|ConnectionResetError"
    r"|BrokenPipeError|TimeoutError|AdminShutdown|DiskFull|LockNotAvailable|QueryCanceled"
    r"|RestartFreqExceeded|OutOfMemoryError|WorkerLostError|BusyLoadingError|IdleInTransactionSessionTimeout"
)
"""The last line of a traceback that an outage explains."""
MOST_SHOWN: Final = 5


def differences(machines: Machines, account: Account, program: Program) -> Iterator[str]:
    """Yield a sentence for each thing that does not hold; all people have ended."""
    for event in Event.objects.filter(slug__in={hand.event for hand in account.revisions}):
        yield from _of_hands(event, account)
        yield from _of_publications(event)
        yield from _of_program(event, program)
    parked = Dirty.objects.filter(parked=True).values_list("scope", flat=True)
    yield from (f"{scope} is parked" for scope in parked)
    yield from _of_standby(machines)
    yield from _of_commands(machines.all[0])
    for machine in machines.all:
        yield from _of_log(machine, account.secrets)


def _of_hands(event: Event, account: Account) -> Iterator[str]:
    acknowledged = {
        (hand.table, hand.number, revision): (sheet.hearts, sheet.queen)
        for hand in account.hands_of(event.slug)
        for revision, sheet in account.revisions[hand].items()
    }
    rows = Entry.objects.filter(hand__game__event=event)
    columns = ("hand__game__table__code", "hand__number", "revision", "typed")
    stored = {
        (code, number, revision): _content(typed)
        for code, number, revision, typed in rows.values_list(*columns)
    }
    for key in sorted(acknowledged.keys() - stored.keys())[:MOST_SHOWN]:
        yield f"{event.slug}: lost {key}"
    for key in sorted(stored.keys() - acknowledged.keys())[:MOST_SHOWN]:
        yield f"{event.slug}: stored but not acknowledged, or twice: {key}"
    for key in sorted(acknowledged.keys() & stored.keys()):
        if acknowledged[key] != stored[key]:
            yield f"{event.slug}: {key} has other content"
    hands = Hand.objects.filter(game__event=event)
    if hands.count() != published_hands(event):
        yield f"{event.slug}: {hands.count()} hands, {published_hands(event)} are published"
    if hands.exclude(state="accepted").exists():
        yield f"{event.slug}: a hand is not accepted"


def _content(typed: Mapping[str, Any]) -> tuple[list[int], int]:
    taken = [tuple(cards) for cards in typed["taken"]]
    return typed["hearts"], taken.index(("QS",))


def _of_publications(event: Event) -> Iterator[str]:
    publications = Publication.objects.filter(event=event).order_by("number")
    last = newest(event.pk)
    if remainder(last) != computed_anew(event.pk):
        yield f"{event.slug}: a computation gives other bytes than publication {last.number}"
    versions = []
    for publication in publications.iterator():
        versions.append((publication.number, publication.version))
        body = publication.body and bytes(publication.body)
        if body and publication.digest != _digest(body):
            yield f"{event.slug}: publication {publication.number} is not that of its digest"
    for (number, version), (next_number, next_version) in pairwise(versions):
        if next_number != number + 1 or next_version <= version:
            yield f"{event.slug}: publication {next_number} after {number}"


def _digest(body: bytes) -> str:
    rest = b"{" + body.partition(b"},")[2]
    return f"sha256:{hashlib.sha256(rest).hexdigest()}"


def _of_program(event: Event, program: Program) -> Iterator[str]:
    stored = {
        "changes": Change.objects.filter(event=event).values_list("version", flat=True),
        "publications": Publication.objects.filter(event=event).values_list("number", flat=True),
    }
    for kind, rows in stored.items():
        missed = set(rows) - program.seen[event.slug, kind]
        if missed:
            yield f"{event.slug}: ?since= never showed {kind} {sorted(missed)[:MOST_SHOWN]}"


def _of_standby(machines: Machines) -> Iterator[str]:
    entries = "SELECT count(*) FROM tournaments_entry"
    stored = machines.rows(entries)[0][0]
    try:
        wait_until(lambda: machines.standby.execute(entries) == stored, what="", within_s=20)
    except AssertionError:
        yield f"the standby has {machines.standby.execute(entries)} entries of {stored}"


def _of_commands(machine: Machine) -> Iterator[str]:
    for words in (("verify_audit",), ("replay", "--check")):
        ended = manage(machine, *words, within_s=1800.0, **OTHER_SURROUNDINGS)
        print(f"{' '.join(words)}: {ended.returncode}: {ended.stdout.strip()[-300:]}")
        if ended.returncode:
            yield f"{' '.join(words)} ended with {ended.returncode}: {ended.stdout[-2000:]}"


def _of_log(machine: Machine, secrets: Iterable[str]) -> Iterator[str]:
    """Name tracebacks that no outage explains, as far as they differ, and tokens."""
    if any(secret in machine.log for secret in secrets):
        yield f"log of {machine.name}: a token"
    unexplained = set()
    for line in machine.log.splitlines():
        text = _exception(line)
        if text and not OUTAGE.search(text):
            unexplained.add(text[:300])
    for text in sorted(unexplained)[:MOST_SHOWN]:
        yield f"log of {machine.name}: {text}"


def _exception(line: str) -> str:
    """The exception of a line of the log; empty if it has none."""
    if '"exception"' in line:
        try:
            return str(json.loads(line[line.index("{") :])["exception"])[-1500:]
        except (ValueError, KeyError):
            return line
    is_fault = re.match(r"[\w.]+(Error|Exception|Refused|Fault)\b", line)
    return line if is_fault else ""


def follow_to_the_end(program: Program, evenings: Sequence[Evening]) -> None:
    for evening in evenings:
        for kind in program.KINDS:
            program.follow(evening, kind)
