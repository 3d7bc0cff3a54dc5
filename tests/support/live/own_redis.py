"""A Redis server of a test's own, which it may stop, pause and start again."""

import shutil
import subprocess
from pathlib import Path

import redis

from tests.support.live.project import free_port, wait_until


class OwnRedis:
    """A Redis server of the test's own, on a free port."""

    def __init__(self, place: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._place = place
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers; it keeps nothing on disk."""
        program = shutil.which("redis-server")
        assert program, "redis-server is not installed"
        words = ("--port", str(self.port), "--save", "", "--appendonly", "no")
        self.process = subprocess.Popen(
            [program, *words, "--dir", str(self._place)], stdout=subprocess.DEVNULL
        )
        wait_until(self._answers, what="our own Redis")

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as line:
                return bool(line.ping())
        except redis.exceptions.ConnectionError:
            return False

    def forget_everything(self) -> None:
        with redis.Redis.from_url(self.url) as line:
            line.flushall()

    def refuse_writes(self) -> None:
        """Have no memory left: reading and taking from lists go on."""
        self._limit_memory(1)

    def take_writes(self) -> None:
        self._limit_memory(0)

    def _limit_memory(self, limit: int) -> None:
        with redis.Redis.from_url(self.url) as line:
            line.config_set("maxmemory", limit)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
