"""Addresses that are one mailbox."""

import pytest

from tournaments.domain.mailboxes import mailbox_digest, mailbox_of


@pytest.mark.parametrize(
    ("address", "mailbox"),
    [
        (" Ruth+Club@Mail.example ", "ruth@mail.example"),
        ("ruth+a+b@mail.example", "ruth@mail.example"),
        ("+club@mail.example", "+club@mail.example"),
        ("+@mail.example", "+@mail.example"),
        ("ruth@Bücher.example", "ruth@xn--bcher-kva.example"),
        ("ruth@mail@mail.example", "ruth@mail@mail.example"),
        ("nobody", "nobody"),
    ],
)
def test_case_and_tag_make_no_other_mailbox(address: str, mailbox: str) -> None:
    assert mailbox_of(address) == mailbox


def test_digest_is_that_of_the_mailbox() -> None:
    assert mailbox_digest("Ruth+club@mail.example") == mailbox_digest("ruth@mail.example")
    assert mailbox_digest("ruth@mail.example") != mailbox_digest("ruth@other.example")
