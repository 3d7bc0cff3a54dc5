"""A worker's pool whose processes a test names."""

from tournaments.delivery.pool_watch import PoolWatch


class GivenPool(PoolWatch):
    """`up` are the processes that take work, `working` those that took a task."""

    def __init__(self, *up: int) -> None:
        super().__init__()
        self.up = set(up)
        self.working: set[int] = set()

    def list_up(self) -> set[int]:
        return self.up

    def list_working(self) -> set[int]:
        return self.working
