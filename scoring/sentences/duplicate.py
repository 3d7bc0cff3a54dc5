"""What is wrong with a file of deals, or with a movement of boards."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import SentenceTemplate, sentence_template

SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "bad_deal_file": sentence_template(
        "The deal file cannot be read at {at}. It needs a list deals, and in each deal a number "
        "and hands with lists of cards for N, E, S and W."
    ),
    "bad_pbn_deal": sentence_template(
        "The deal of board {board} cannot be read: “{found}”. A PBN deal has a first seat and four "
        "hands, as in N:AK2.Q93.T84.J765 followed by three more."
    ),
    "pbn_deal_without_board": sentence_template(
        'The deal in line {line} has no board number. Write a tag such as [Board "1"] before it.'
    ),
    "no_deals": sentence_template("The file has no deals. It needs at least one."),
    "bad_board_number": sentence_template(
        "“{found}” is not the number of a board. Boards are numbered 1 to {most}."
    ),
    "board_twice": sentence_template(
        "Board {board} is there twice. Give each board its number once."
    ),
    "bad_dealer": sentence_template(
        "“{found}” cannot be the dealer of board {board}. Use N, E, S or W."
    ),
    "deal_hand_size": sentence_template(
        "Board {board}: {seat} has {found} cards. Each hand has {expected}."
    ),
    "unknown_deal_card": sentence_template(
        "Board {board}: {seat} has “{card}”, which is not a card of the pack. Write cards as in "
        "2C, 10H, QS."
    ),
    "deal_card_twice": sentence_template(
        "Board {board}: the {card} is there twice, at {seat}. Each card belongs to one hand."
    ),
    "deal_card_missing": sentence_template(
        "Board {board}: the {card} is missing. It belongs to {seat}, who has too few cards."
    ),
    "no_moving_boards": sentence_template(
        "There is no movement of boards for {found} tables. It needs one of {known}."
    ),
}
