"""Why a file cannot be shown to people, as a sentence and its remedy."""

from __future__ import annotations

_NAMES = {"jpeg": "a JPEG", "png": "a PNG", "webp": "a WebP", "avif": "an AVIF"}


class UnplayableMedia(Exception):  # noqa: N818 - reads as the sentence it carries
    """This file cannot be shown to people, or not safely. Two sentences for the researcher."""

    def __init__(self, sentence: str, fix: str) -> None:
        super().__init__(f"{sentence} {fix}")
        self.sentence = sentence
        self.fix = fix


def damaged(kind: str) -> UnplayableMedia:
    return UnplayableMedia(
        f"The file begins like {_NAMES[kind]} but is cut short or damaged.",
        "Copy or export the picture again.",
    )
