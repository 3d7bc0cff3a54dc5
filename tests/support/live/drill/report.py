"""What a drill prints: faults by kind, rows of the list that it cannot have, answers, verdict."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tests.support.live.drill.account import Account
from tests.support.live.drill.bad_callers import ALL_FAULTS
from tests.support.live.drill.faults import Fault

ALL_THE_TIME: Final = {
    "F7": "hosts send some hands twice at once, under one key",
    "F9": "hosts correct a hand as the director closes the round",
    "F18 F19 F40": "players who come late have hostile names",
    "F23": "no token of anybody is in the logs",
    "F33": "the replay at the end has another hash seed, time zone and locale",
}
"""What the people do, with no fault of its own."""
NOT_HERE: Final = {
    "F12": "needs a computation that raises",
    "F13": "the full disk of SQLite; F42 is that of PostgreSQL",
    "F20": "the whole table of rights",
    "F26": "receivers of webhooks must have other addresses than this machine",
    "F27": "a thousand sign-ins",
    "F29 F30 F31": "another database or release",
    "F32": "would break the audit trail that is verified at the end",
    "F34": "needs a browser",
    "F36": "`serve` does not run behind a pooler",
    "F37": "`python -m benchmarks --part soak`",
    "F41": "needs 300 people",
    "F44": "needs 20,000 hands and an hour",
}
"""Rows of the list that are tests of their own, and why."""


class Recovery(NamedTuple):
    """A fault, and how long after its end everything was published and read by visitors."""

    fault: Fault
    seconds: float


def print_report(
    account: Account, recoveries: Sequence[Recovery], last_s: float, fresh_s: float
) -> bool:
    """Print everything; returns whether nothing was wrong or later than `fresh_s`."""
    by_kind: Mapping[str, list[float]] = defaultdict(list)
    for each in recoveries:
        by_kind[each.fault.kind].append(each.seconds)
    print(f"\n{'fault':<48}{'rows':<10}{'times':>6}{'longest until fresh':>22}")
    for fault in ALL_FAULTS:
        times = by_kind.get(fault.kind, [])
        longest = f"{max(times):.2f} s" if times else "–"
        print(f"{fault.kind:<48}{fault.rows:<10}{len(times):>6}{longest:>22}")
    print("\nAll the time: " + "; ".join(f"{row}: {what}" for row, what in ALL_THE_TIME.items()))
    print("Not in a drill: " + "; ".join(f"{row}: {why}" for row, why in NOT_HERE.items()))
    print(f"\nActs: {', '.join(f'{act} {n}' for act, n in sorted(account.done.items()))}")
    for role in sorted({role for role, _ in account.answers}):
        answers = sorted((s, n) for (name, s), n in account.answers.items() if name == role)
        words = ", ".join(f"{status or 'none'} {n}" for status, n in answers)
        print(f"Answers to {role}s: {words}; longest wait {account.longest_s.get(role, 0.0):.1f} s")
    late = [each for each in recoveries if each.seconds > fresh_s]
    for sentence, n in Counter(account.wrong).items():
        print(f"WRONG{f' ({n} times)' if n > 1 else ''}: {sentence}")
    for each in late:
        print(f"LATE: {each.fault.kind}: {each.seconds:.2f} s")
    longest_s = max((each.seconds for each in recoveries), default=0.0)
    print(
        f"\n{len(recoveries)} faults, {len(account.revisions)} hands,"
        f" {sum(map(len, account.revisions.values()))} revisions acknowledged;"
        f" longest until fresh {longest_s:.2f} s, at the end {last_s:.2f} s;"
        f" {len(account.wrong)} wrong, {len(late)} late"
    )
    return not account.wrong and not late
