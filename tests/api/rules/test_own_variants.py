"""A variant of one's own is one TOML file in a directory that BLACKLADY_VARIANTS names."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from pytest_django import Settings

import scoring

pytestmark = pytest.mark.django_db

MIDNIGHT = """\
id = "midnight"
extends = "hearts"
name = "Midnight Hearts"
aliases = ["Twelve o'clock"]
summary = "The king of clubs strikes twelve."
sources = ["our club's notice board"]
counting = "*H,QS,KC"
values = [
  { cards = "*H", value = 1 },
  { name = "queen_of_spades", cards = "QS", value = 13 },
  { cards = "KC", value = 12 },
]
"""
SHIPPED = list((Path(scoring.__file__).parent / "data" / "variants").glob("*.toml"))
CASE: dict[str, Any] = {
    "id": "struck", "kind": "match", "variant": "Midnight", "seats": 4,
    "hands": [{"entry": {"hearts": [4, 4, 5, 0], "taken": [["KC"], [], ["QS"], []]}}],
}  # fmt: skip


@pytest.fixture
def directory(tmp_path: Path, settings: Settings) -> Path:
    (tmp_path / "midnight.toml").write_text(MIDNIGHT)
    settings.BLACKLADY_VARIANTS = (tmp_path,)
    return tmp_path


def ids(client: Client) -> list[str]:
    return [row["id"] for row in client.get("/api/v1/variants").json()["results"]]


def test_one_file_is_a_variant_everywhere(client: Client, directory: Path) -> None:
    assert "midnight" in ids(client)
    body = client.get("/api/v1/variants/midnight").json()
    assert (body["name"], body["rules"]["players"]) == ("Midnight Hearts", [3, 6])
    sheet = client.get("/api/v1/variants/midnight/entry-schema?seats=4").json()
    assert sheet["hand_total"] == 38
    assert "king_clubs" in [box["key"] for box in sheet["boxes"]]
    (said,) = client.post("/api/v1/score", json.dumps(CASE), "application/json").json()
    assert said["totals"] == [16, 4, 18, 0]


def test_document_names_it(directory: Path) -> None:
    made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    assert "midnight" in made["components"]["schemas"]["VariantId"]["enum"]
    (_, parameter) = made["paths"]["/api/v1/variants/{variant}/entry-schema"]["get"]["parameters"]
    assert parameter["schema"] == {"$ref": "#/components/schemas/VariantId"}


def test_command_line_reads_it_from_a_directory(tmp_path: Path, project_root: Path) -> None:
    (tmp_path / "midnight.toml").write_text(MIDNIGHT)
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "score", "--variants", str(tmp_path)],
        input=json.dumps(CASE), capture_output=True, text=True, cwd=project_root, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)[0]["totals"] == [16, 4, 18, 0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('id = "zenith"\nname = \n', "zenith.toml:2: bad_rules: file: this is not TOML"),
        ('id = "zenith"\nname = "Zenith"\nextends = "hearts"\ntricks = 5\n',
         "zenith.toml:4: bad_rules: tricks: 5 is none of equal, variable."),
        ('id = "zenith"\nname = "Hearts"\nextends = "hearts"\n',
         "zenith.toml:1: bad_rules: id: Hearts already means hearts."),
        ('id = "midnight"\nname = "Zenith"\nextends = "hearts"\n',
         "zenith.toml:1: bad_rules: id: there is a variant midnight already."),
        ('id = "zenith"\nname = "Zenith"\nextends = "hearts"\nplayers = [4, 9]\n',
         "52 cards cannot be dealt evenly to 7 players."),
        (('id = "zenith"\nname = "Zenith"\nextends = "night"\n'), "not a variant"),
    ],
    ids=["no toml", "bad key", "name taken", "id twice", "uneven", "no parent"],
)  # fmt: skip
def test_file_that_is_no_variant_is_left_out_and_named(
    text: str, said: str, client: Client, directory: Path
) -> None:
    (directory / "zenith.toml").write_text(text)
    assert "zenith" not in ids(client)
    warnings = [str(message.msg) for message in run_checks() if message.id == "blacklady.W004"]
    assert any(said in warning for warning in warnings), warnings
    assert len(ids(client)) == len(SHIPPED) + 1, "the others are there"


def test_directory_that_is_not_there_is_named(tmp_path: Path, settings: Settings) -> None:
    settings.BLACKLADY_VARIANTS = (tmp_path / "nowhere",)
    (warning,) = [message for message in run_checks() if message.id == "blacklady.W004"]
    assert "there is no such directory" in str(warning.msg)


def test_service_starts_beside_a_bad_file(tmp_path: Path, project_root: Path) -> None:
    (tmp_path / "zenith.toml").write_text("id = 5\n")
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        env=os.environ | {"BLACKLADY_VARIANTS": str(tmp_path)},
        capture_output=True, text=True, cwd=project_root, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "zenith.toml:1: bad_rules: id: 5 is not a text." in done.stderr
