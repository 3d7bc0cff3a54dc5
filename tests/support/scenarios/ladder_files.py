"""A ladder whose players come from a file of the sheets that the tests share."""

from pathlib import Path

from tests.support.builders import by_tests
from tests.support.cast import enter_the_cast
from tournaments.models.events import Event
from tournaments.services.events.events import create_event, move_event
from tournaments.services.imports.player_lists import import_players


def ladder_of_files(folder: Path, primary: str = "beaten_mean") -> Event:
    """Make the ladder of Riverside with the players of `players.csv`."""
    club = enter_the_cast().riverside
    event = create_event(
        by_tests(), club, slug="ladder", name="Ladder", kind="ladder", variant="hearts",
        settings={"length": "open", "primary": primary},
    )  # fmt: skip
    event = move_event(by_tests(), event, to="open")
    import_players(
        by_tests(), club, event, path=folder / "players.csv", name="players.csv", dry_run=False
    )
    return event
