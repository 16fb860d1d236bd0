"""Why a score is undefined: every code with its sentence."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "no_reference": "There are no reference descriptors to compare with.",
    "no_prediction": "There are no predicted descriptors for this item.",
    "no_prompt": "This item has no prompt to compare with.",
    "missing_media": "The item's file is not where it was imported to.",
    "undecodable": "The item's file cannot be read as a picture or a clip.",
    "not_applicable": "The metric does not apply to items of this kind.",
    "no_real_images": "There are no real pictures of this activity and country.",
    "no_probes": "There are no verified probes for this item's scenario.",
    "refused": "The model refused to answer.",
    "parse_failed": "The model's answer was not of the wanted form.",
    "no_logprobs": "The model gives no probabilities of its answers.",
    "bad_scale": "The image-text score that was chosen is not on a scale from 0 to 1.",
    "not_asked": "This run was asked for without what this score needs.",
    "no_scene": "This item has no activity or no country.",
    "no_article": "The knowledge base has no article for what the picture shows.",
    "too_few_pictures": "A spread needs at least two pictures that have their scores.",
    "no_labels": "There is no label to hold this item against.",
    "no_audio": "The sound was not judged: there is none to judge, or the model does not hear it.",
    "no_unit": "The item is in no unit of two to four items.",
    "tied": "Several answers, which have no order, were given equally often.",
    "no_value": "The imported scores have no value here.",
}
"""A metric adds its own codes here and names them in its declaration."""
