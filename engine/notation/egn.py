"""Euchre Game Notation (EGN), versions 1.0 to 1.6: JSON, one game a file.

An EGN file says who dealt, which card was turned up, the calls in order, and the cards of each
trick in the order they were played, the leader's first. It does not say whose card is whose:
the seats follow from the rules (who leads, who wins, who sits out). ``""``, ``[]`` and ``X``
stand for what is not known and are no faults; an unknown card may leave a trick without a
known winner, and then the seats of the tricks after it are not known either: their cards are
kept as doubts without a seat, and no points are guessed from them.

The file's own ``ruleset`` overrides the rules given; what it leaves out is as EGN has it: stick
the dealer, the dealer's left leads against a lone hand, only the maker goes alone, 10 points.

Source: the EGN specification and its JSON schema (github.com/NextSuit-Labs/euchre-game-notation,
Apache-2.0).
"""

from __future__ import annotations

from engine.notation.egn_reading import read_egn, read_egn_file
from engine.notation.egn_words import FILE_TYPE, LONGEST_FILE, VERSION
from engine.notation.egn_writing import write_egn

__all__ = ["FILE_TYPE", "LONGEST_FILE", "VERSION", "read_egn", "read_egn_file", "write_egn"]
