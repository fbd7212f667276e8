from __future__ import annotations

import unicodedata

# Han, Hiragana, Katakana, Thai, Lao and Khmer are written without spaces between words.
_UNSPACED = (
    (0x0E01, 0x0E5B),
    (0x0E81, 0x0EDF),
    (0x1780, 0x17FF),
    (0x19E0, 0x19FF),
    (0x2E80, 0x2FD5),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3038, 0x303B),
    (0x3041, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAD9),
    (0xFF66, 0xFF9D),
    (0x1B000, 0x1B16F),
    (0x20000, 0x323AF),
)
_CLOSING = frozenset(".,;:!?%…。、，！？")
_OPENING = frozenset("¿¡")


def joined(words: str, word: str) -> str:
    """The words with one more, as a person would write them; a word that brings its own space keeps it."""
    if words == "" or word == "":
        return words + word
    last, first = words[-1], word[0]
    is_apart = last.isspace() or first.isspace()
    is_tight = (
        first in _CLOSING
        or unicodedata.category(first) in ("Pe", "Pf")
        or last in _OPENING
        or unicodedata.category(last) in ("Ps", "Pi")
    )
    has_no_spaces = _is_unspaced(last) and _is_unspaced(first)
    return words + word if is_apart or is_tight or has_no_spaces else f"{words} {word}"


def _is_unspaced(character: str) -> bool:
    point = ord(character)
    return any(start <= point <= end for start, end in _UNSPACED)
