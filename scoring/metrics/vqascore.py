"""VQAScore: how probable "Yes" is when a model is asked whether a picture shows a text.

    vqascore = P(Yes) / (P(Yes) + P(No))        0 to 1, higher is better

of the first word of the answer (Lin et al. 2024, arXiv:2404.01291). The question's words are the
prompt ``vqascore/shows``. What the model gives to both answers together is kept as ``mass``: where
that is small, the model wanted to say something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Self

from scoring.backends.answer_options import OptionProbabilities, among, option_probabilities
from scoring.backends.chat import Choice, Picture, Request
from scoring.backends.chat_pictures import sent_picture
from scoring.backends.pictures import MediaError
from scoring.metrics.base import Progress
from scoring.metrics.image_text_score import UNIT_SCALE, ImageTextValue, OpenImage
from scoring.metrics.item_pictures import media_reason
from scoring.prompting.asking import Answer, Asks, ask_all_json
from scoring.prompting.prompt import Prompt, prompt

YES, NO = "Yes", "No"
PROMPT = "vqascore/shows"
_AT_ONCE = 64  # pairs whose pictures are held in memory


class VqaScore:
    """``ImageTextScore`` by a chat model that tells log-probabilities.

    ``model`` is the name by which ``chat`` knows the model, ``revision`` the mark of its weights
    where that is known.
    """

    name = "VQAScore"
    scale = UNIT_SCALE

    def __init__(
        self, chat: Asks, *, model: str, revision: str = "", words: Prompt | None = None
    ) -> None:
        self.model_id = model
        self.revision = revision
        self._chat = chat
        self._words = words or prompt(PROMPT)

    def worded(self, words: Prompt) -> Self:
        """The same score, asked for in other words."""
        other = copy(self)
        other._words = words
        return other

    def score_pairs(
        self, pairs: Sequence[tuple[OpenImage, str]], *, on_progress: Progress | None = None
    ) -> list[ImageTextValue]:
        """P(Yes) of every pair. Undefined: ``missing_media`` and ``undecodable`` where a picture
        cannot be opened, ``no_logprobs`` where the server tells none, ``refused``,
        ``parse_failed`` where the answer begins with neither word."""
        values: list[ImageTextValue] = []
        for start in range(0, len(pairs), _AT_ONCE):
            some = pairs[start : start + _AT_ONCE]
            told = partial(_told, on_progress, start, len(pairs))
            values += self._scored(some, told)
            told(len(some), len(some))
        return values

    def requests(self, pairs: Sequence[tuple[OpenImage, str]]) -> Iterator[Request]:
        """What scoring ``pairs`` asks; pictures that cannot be opened ask nothing."""
        for open_image, of_image in groupby(pairs, key=itemgetter(0)):  # opened once
            picture = _sent(open_image)
            if isinstance(picture, Picture):
                yield from (self._request(picture, text) for _, text in of_image)

    def _scored(
        self, pairs: Sequence[tuple[OpenImage, str]], on_progress: Progress
    ) -> list[ImageTextValue]:
        pictures = {open_image: _sent(open_image) for open_image, _ in pairs}
        requests: dict[int, Request] = {}
        for place, (open_image, text) in enumerate(pairs):
            picture = pictures[open_image]
            if isinstance(picture, Picture):
                requests[place] = self._request(picture, text)
        answers = ask_all_json(self._chat, requests, read=_read, on_progress=on_progress)
        return [
            _value(answers[place]) if place in answers else _unopened(pictures[open_image])
            for place, (open_image, _) in enumerate(pairs)
        ]

    def _request(self, picture: Picture, text: str) -> Request:
        asked = self._words.request(model=self.model_id, inputs={"text": text}, pictures=(picture,))
        return among(asked, (YES, NO))


def _told(on_progress: Progress | None, before: int, total: int, done: int, _of: int) -> None:
    if on_progress is not None:
        on_progress(before + done, total)


def _sent(open_image: OpenImage) -> Picture | MediaError:
    try:
        return sent_picture(open_image())
    except MediaError as error:
        return error


def _read(choice: Choice, _request: Request) -> OptionProbabilities:
    return option_probabilities(choice, (YES, NO))


def _value(answer: Answer) -> ImageTextValue:
    if answer.reason:
        return ImageTextValue(None, answer.reason, {"error": answer.sentence})
    found: OptionProbabilities = answer.value
    evidence: dict[str, Any] = {"mass": found.mass}
    if found.unlisted:
        evidence["unlisted"] = list(found.unlisted)
    return ImageTextValue(found.of[YES], "", evidence)


def _unopened(error: Any) -> ImageTextValue:
    return ImageTextValue(None, media_reason(error), {"error": str(error)})
