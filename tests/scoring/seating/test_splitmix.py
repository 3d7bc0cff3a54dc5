"""The generator gives the published numbers, and every outcome of a lot."""

from collections import Counter

from scoring.seating.splitmix import SplitMix, stream_of

VECTORS = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)
"""The first numbers of seed 1234567, as the reference code prints them."""


def test_stream_has_the_numbers_of_the_reference_code() -> None:
    stream = SplitMix(1234567)
    assert tuple(stream.next64() for _ in VECTORS) == VECTORS


def test_every_order_of_three_is_drawn_about_equally_often() -> None:
    stream = SplitMix(5)
    found = Counter("".join(stream.shuffled("abc")) for _ in range(6000))
    assert len(found) == 6
    assert max(found.values()) - min(found.values()) < 250


def test_parts_of_a_plan_have_streams_of_their_own() -> None:
    first = [stream_of(1, part).next64() for part in range(50)]
    assert len(set(first)) == 50
    assert stream_of(1, 2, 3).next64() != stream_of(1, 3, 2).next64()
