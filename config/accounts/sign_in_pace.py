"""How soon a password may be tried again: by account and address together.

A wrong password makes the next try at that account from that address wait, longer each time. Other
addresses do not wait for it, so the account's owner signs in from home while somebody guesses in
the hall, and from a phone with a network of its own there. Two wider counts bound what a guesser
with many accounts or many addresses gets:

- An address with many wrong passwords, at whatever accounts, waits too; not with an account that
  has signed in from it before.
- An account that many addresses guess at has one free try from each, in the place of five.

Kept in the cache, and so forgotten where that is; a try is counted before its password is looked
at, each under a key of its own, so that tries sent at one moment do not get more.

Mails with a link to a new password have the same pace, under counts of their own.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.core.cache import cache

FREE: Final = 5
"""Tries at one account from one address before they wait."""
FREE_OF_MANY: Final = 1
"""The same at an account that many addresses guess at."""
FREE_MAILS: Final = 2
"""Links to a new password for one account, asked for from one address, before they wait."""
FIRST_WAIT_S: Final = 5
LONGEST_WAIT_S: Final = 15 * 60
QUIET_S: Final = 60 * 60
"""After so long without a try what was counted is forgotten."""

MOST_OF_ADDRESS: Final = 50
"""Wrong passwords from one address within a minute, whatever the accounts."""
MOST_OF_ACCOUNT: Final = 50
"""Wrong passwords at one account within an hour, whatever the addresses."""
A_MINUTE: Final = 60
KNOWN_S: Final = 30 * 24 * 60 * 60
"""So long an address is known to an account that has signed in from it."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The tries of an account from an address: how many, and when the last one was."""

    n: int = 0
    at: float = 0.0

    def wait(self, now: float, free: int) -> float:
        """Return how many seconds the next try still has to wait; 0 for none.

        >>> [Tried(n, 100).wait(100, free=5) for n in (4, 5, 6, 7, 30)]
        [0, 5, 10, 20, 900]
        """
        if self.n < free:
            return 0
        pause: float = min(LONGEST_WAIT_S, FIRST_WAIT_S << min(self.n - free, 20))
        return max(0, self.at + pause - now)


@dataclass(frozen=True, slots=True)
class Window:
    """A count that begins anew after so many seconds."""

    key: str
    seconds: int

    def number(self, moment: float) -> int:
        """Return what was counted in the window that is open now."""
        return int(cache.get(self._now(moment)) or 0)

    def add(self, moment: float, n: int) -> None:
        """Count `n` more, at once wherever the cache can; a negative `n` subtracts."""
        key = self._now(moment)
        if n > 0 and cache.add(key, n, 2 * self.seconds):
            return
        try:
            cache.incr(key, n)
            cache.touch(key, 2 * self.seconds)  # a cache in tables forgets it when it counts
        except ValueError:
            # The cache has just forgotten it: this is the first. Nothing is subtracted from none.
            if n > 0:
                cache.add(key, n, 2 * self.seconds)

    def left(self, moment: float) -> float:
        """Return how many seconds the window stays open."""
        return self.seconds - moment % self.seconds

    def _now(self, moment: float) -> str:
        return f"{self.key}:{int(moment // self.seconds)}"


class SignInPace:
    """One try to sign in: `begin` says how long to wait or counts it, `succeeded` forgives all that
    was counted, `uncount` this try alone."""

    _prefix = "sign-in"
    _free = FREE

    def __init__(self, account: str, network: str) -> None:
        self.pair = _key(self._prefix, "pair", account, network)
        self._known = _key(SignInPace._prefix, "known", account, network)
        self._account = Window(_key(self._prefix, "account", account), QUIET_S)
        self._network = Window(_key(self._prefix, "network", network), A_MINUTE)
        self._before = Tried()

    def begin(self, now: datetime) -> int:
        """Return after how many seconds to come back; 0 lets the password be looked at.

        What has to wait is not counted: trying on makes nobody wait longer.
        """
        moment = now.timestamp()
        tried = self._tried()
        free = self._free if self._account.number(moment) < MOST_OF_ACCOUNT else FREE_OF_MANY
        if wait := tried.wait(moment, free):
            return _whole(wait)
        if self._network.number(moment) >= MOST_OF_ADDRESS and not cache.get(self._known):
            return _whole(self._network.left(moment))
        while not cache.add(f"{self.pair}:{tried.n}", moment, QUIET_S):
            # Somebody took this try before us, and we wait from their moment on. From ours, each
            # try would put off the next: a cache that lost the sum would keep us out for good.
            taken = cache.get(f"{self.pair}:{tried.n}")
            if taken is None:
                break  # the cache keeps nothing, or forgot it by now: it fails open
            tried = Tried(tried.n + 1, float(taken))
            if wait := tried.wait(moment, free):
                return _whole(wait)
        cache.set(self.pair, (tried.n + 1, moment), QUIET_S)
        self._before = tried
        self._account.add(moment, 1)
        self._network.add(moment, 1)
        return 0

    def succeeded(self, now: datetime) -> None:
        """Forget what was counted of the account at this address, and know the two together."""
        n = self._tried().n
        cache.delete_many([self.pair, *(f"{self.pair}:{one}" for one in range(n + 1))])
        cache.set(self._known, 1, KNOWN_S)
        self._count_one_less(now)

    def uncount(self, now: datetime) -> None:
        """Count this try no more; earlier ones, and others of the same moment, stay counted.

        Each of those holds a key of its own, so that the next try passes over it.
        """
        cache.delete(f"{self.pair}:{self._before.n}")
        cache.set(self.pair, (self._before.n, self._before.at), QUIET_S)
        self._count_one_less(now)

    def _count_one_less(self, now: datetime) -> None:
        self._account.add(now.timestamp(), -1)
        self._network.add(now.timestamp(), -1)

    def _tried(self) -> Tried:
        kept = cache.get(self.pair)
        return Tried(*kept) if kept else Tried()


class ResetPace(SignInPace):
    """One request for a link to a new password; `begin` says whether a mail may be sent now."""

    _prefix = "reset"
    _free = FREE_MAILS


def _key(prefix: str, *parts: str) -> str:
    """Return a key of any text; a name that somebody typed is not kept in it."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{prefix}:{parts[0]}:{digest[:32]}"


def _whole(seconds: float) -> int:
    return max(1, int(-(-seconds // 1)))
