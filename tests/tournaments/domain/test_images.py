"""A picture that comes in leaves nothing behind but its pixels, whatever else was in the file."""

import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from scoring.errors import Refused
from tests.support.lengths import short_or_long
from tournaments.domain.messages import sentence
from tournaments.domain.sheets.images import (
    LARGEST,
    LOGO_SIDE,
    LONGEST_LOGO_SIDE,
    LONGEST_SIDE,
    MOST_PIXELS,
    MOST_WHOLE_PIXELS,
    clean_logo,
    clean_picture,
)

SECRETS = (b"Hanna's phone", b"a comment", b"a profile", b"geo:52.5,13.4", b"Exif", b"ICC_PROFILE")


def encoded(image: Image.Image, kind: str, **more: object) -> bytes:
    into = BytesIO()
    image.save(into, kind, **more)
    return into.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    """What a phone writes: who took it, how it was held, and where that was."""
    found = Image.Exif()
    found[0x010E], found[0x0110], found[0x0112] = "geo:52.5,13.4", "Hanna's phone", orientation
    found.get_ifd(0x8825)[2] = (52.0, 30.0, 0.0)
    return found


def arrow() -> Image.Image:
    """A picture 40 wide and 20 high whose left half is red."""
    image = Image.new("RGB", (40, 20), "white")
    image.paste((200, 0, 0), (0, 0, 20, 20))
    return image


def reopened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(clean_picture(content)[0]))


def codes(content: bytes) -> list[str]:
    with pytest.raises(Refused) as refused:
        clean_picture(content)
    return [problem.code for problem in refused.value.problems]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_nothing_beside_the_pixels_is_kept(kind: str) -> None:
    more: dict[str, Any] = {"exif": exif(), "icc_profile": b"a profile"}
    if kind == "JPEG":
        more |= {"comment": b"a comment", "xmp": b"geo:52.5,13.4"}
    if kind == "PNG":
        more["pnginfo"] = PngImagePlugin.PngInfo()
        more["pnginfo"].add_text("Author", "Hanna's phone")
    came = encoded(arrow(), kind, **more)
    assert any(secret in came for secret in SECRETS)
    kept = clean_picture(came)[0]
    assert [secret for secret in SECRETS if secret in kept] == []
    image = Image.open(BytesIO(kept))
    assert (image.format, dict(image.getexif())) == ("JPEG", {})
    assert set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


@pytest.mark.parametrize(
    ("orientation", "size", "red"),
    [
        (1, (40, 20), (5, 10)),
        (3, (40, 20), (35, 10)),
        (6, (20, 40), (10, 5)),
        (8, (20, 40), (10, 35)),
    ],
)
def test_picture_is_turned_as_the_camera_was_held(
    orientation: int, size: tuple[int, int], red: tuple[int, int]
) -> None:
    image = reopened(encoded(arrow(), "JPEG", exif=exif(orientation), quality=95))
    assert image.size == size
    pixel = image.getpixel(red)
    assert isinstance(pixel, tuple)
    assert pixel[0] > 150 > pixel[1]


def test_large_picture_is_made_smaller() -> None:
    clean = clean_picture(encoded(Image.new("L", (6000, 3000)), "JPEG"))
    assert clean[1:] == (LONGEST_SIDE, LONGEST_SIDE // 2)
    assert reopened(encoded(Image.new("L", (30, 10)), "PNG")).size == (30, 10)


def test_what_is_see_through_is_white() -> None:
    assert reopened(encoded(Image.new("RGBA", (8, 8)), "PNG")).getpixel((4, 4)) == (255, 255, 255)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_scan_of_any_depth_is_read(mode: str) -> None:
    white = encoded(Image.new(mode, (8, 8), {"I;16": 65535}.get(mode, "white")), "PNG")
    assert reopened(white).getpixel((4, 4)) == (255, 255, 255)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"date,round,table\r\n",
        b"%PDF-1.7",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"GIF89a" + bytes(20),
        encoded(Image.new("RGB", (8, 8)), "GIF"),
        encoded(Image.new("RGB", (8, 8)), "TIFF"),
        encoded(Image.new("RGB", (8, 8)), "BMP"),
        encoded(arrow(), "PNG")[:60],
        encoded(arrow(), "JPEG")[:200],
        encoded(arrow(), "WEBP")[:30],
    ],
    ids=["empty", "csv", "pdf", "svg", "gif-head", "gif", "tiff", "bmp", "png", "jpeg", "webp"],
)
def test_file_that_is_no_whole_picture_is_refused(content: bytes) -> None:
    assert codes(content) == ["not_a_photo"]


def test_file_that_is_too_large_is_refused_unread() -> None:
    assert codes(bytes(LARGEST + 1)) == ["photo_too_large"]


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose head promises so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        end = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + end

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1_000_000), 9)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("side", [5_000, 10_000, 60_000])
def test_picture_that_would_unfold_is_refused_by_its_head(side: int) -> None:
    assert side * side > MOST_WHOLE_PIXELS
    assert codes(bomb(side, side)) == ["photo_too_many_pixels"]


def test_picture_in_parts_may_have_fewer_pixels_than_one_in_lines() -> None:
    image = Image.new("L", (7000, 6000))
    assert MOST_WHOLE_PIXELS < image.width * image.height < MOST_PIXELS
    assert clean_picture(encoded(image, "JPEG"))[1] == LONGEST_SIDE
    assert codes(encoded(image, "JPEG", progressive=True)) == ["photo_too_many_pixels"]


def test_large_logo_is_made_smaller_and_a_thin_one_of_too_many_pixels_a_side_refused() -> None:
    logo = clean_logo(encoded(Image.new("L", (4000, 3000)), "PNG"))
    assert Image.open(BytesIO(logo)).size == (LOGO_SIDE, LOGO_SIDE * 3 // 4)
    with pytest.raises(Refused, match="photo_too_many_pixels") as refused:
        clean_logo(encoded(Image.new("L", (LONGEST_LOGO_SIDE + 1, 1)), "PNG"))
    assert "longer than 10000 pixels on one side" in sentence(refused.value.problems[0])


GOOD = [
    encoded(arrow(), "JPEG", exif=exif(6)),
    encoded(arrow(), "JPEG", progressive=True),
    encoded(arrow(), "PNG"),
    encoded(arrow(), "WEBP"),
    encoded(arrow(), "WEBP", lossless=True, exif=exif(3)),
]


def outcome(content: bytes) -> tuple[str, tuple[int, int] | None]:
    """What becomes of a file: refused for what, or kept at which size."""
    try:
        clean = clean_picture(content)
    except Refused as refused:
        return refused.problems[0].code, None
    return "kept", Image.open(BytesIO(clean[0])).size


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow warns of odd tags, and reads on
@settings(max_examples=short_or_long(133, 400), deadline=None)
@given(
    st.sampled_from(GOOD),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=8),
    st.integers(0, 2000),
)
def test_bent_file_is_a_picture_or_refused(
    content: bytes, bends: list[tuple[int, int]], end: int
) -> None:
    bent = bytearray(content)
    for place, value in bends:
        bent[place % len(bent)] = value
    found, size = outcome(bytes(bent[: end or None]))
    assert found in ("kept", "not_a_photo", "photo_too_many_pixels")
    assert size is None or size[0] <= LONGEST_SIDE


@settings(max_examples=short_or_long(66, 200), deadline=None)
@given(
    st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF"]), st.binary(max_size=400)
)
def test_noise_is_refused(head: bytes, noise: bytes) -> None:
    assert codes(head + noise) == ["not_a_photo"]
