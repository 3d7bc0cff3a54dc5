"""How large the measurements are: as the goals say, or tiny for a test that only runs the code."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of one run. `doublings` times the league of `standings_hands` is the large one.

    All `hosts` enter a hand within a second, and together, `at_once` times, the former `gap_s`
    apart; then they enter hands for `while_s`; `taps` hands are followed into the standings.
    Hands are corrected in leagues of `corrected_hands` and a tenth of them; four clients enter
    `burst_posts` hands at `burst_tables`. Pages are read of a club of `page_players` and
    `page_hands`. A soak lasts `soak_minutes`, at `soak_a_minute` hands, in `soak_clubs` clubs of
    `soak_tables` tables each; memory is looked at every `soak_look_s`.
    """

    repeats: int
    scored_hands: int
    scored_deals: int
    import_players: int
    import_hands: int
    large_import_hands: int
    standings_players: int
    standings_hands: int
    small_hands: int
    posts: int
    reads: int
    doublings: int
    publications: int
    hosts: int
    at_once: int
    gap_s: float
    while_s: float
    taps: int
    corrected_hands: int
    burst_tables: int
    burst_posts: int
    page_players: int
    page_hands: int
    soak_minutes: float
    soak_a_minute: float
    soak_clubs: int
    soak_tables: int
    soak_look_s: float


FULL: Final = Sizes(
    repeats=5,
    scored_hands=10_000,
    scored_deals=4000,
    import_players=1000,
    import_hands=25_000,
    large_import_hands=200_000,
    standings_players=1000,
    standings_hands=9000,
    small_hands=1000,
    posts=200,
    reads=200,
    doublings=5,
    publications=1_000_000,
    hosts=200,
    at_once=5,
    gap_s=10.0,
    while_s=30.0,
    taps=50,
    corrected_hands=200_000,
    burst_tables=40,
    burst_posts=1000,
    page_players=300,
    page_hands=20_000,
    soak_minutes=30.0,
    soak_a_minute=500.0,
    soak_clubs=10,
    soak_tables=20,
    soak_look_s=30.0,
)
TINY: Final = Sizes(
    repeats=1,
    scored_hands=20,
    scored_deals=8,
    import_players=40,
    import_hands=120,
    large_import_hands=240,
    standings_players=40,
    standings_hands=60,
    small_hands=12,
    posts=4,
    reads=3,
    doublings=2,
    publications=120,
    hosts=4,
    at_once=2,
    gap_s=0.2,
    while_s=0.4,
    taps=4,
    corrected_hands=960,
    burst_tables=4,
    burst_posts=16,
    page_players=40,
    page_hands=60,
    soak_minutes=0.1,
    soak_a_minute=360.0,
    soak_clubs=2,
    soak_tables=2,
    soak_look_s=1.0,
)
SIZES: Final = {"full": FULL, "tiny": TINY}
