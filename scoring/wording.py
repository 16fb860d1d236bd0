"""Words for what people read about metrics and their runs."""

from __future__ import annotations

from datetime import datetime, timedelta

from scoring.metrics.base import OPEN, Declaration, Output
from scoring.models import MetricRun, WorkState
from scoring.run_errors import ITEM_FAILED

# What a metric measures, by its key.
ABOUT = {
    "ahead_judge": (
        "A chat model answers the study's own questions about each picture, on the scale that "
        "people see: the judge form of ALIGN, HAL and EXAG."
    ),
    "ahead": (
        "Compares what is seen in each picture with what people of a country expect of the "
        "activity, both given as short descriptors. ALIGN is the share of the expected "
        "descriptors that are there; HAL is the share of the descriptors there that nobody expects."
    ),
    "clipscore": (
        "How near each picture is to its prompt for a CLIP model: the cosine of their embeddings, "
        "as it is and in the two published scalings. A clip is scored on one frame."
    ),
    "culturescore": (
        "Asks a model the questions of each scenario's bank about each clip, one by one. The score "
        "is the share of yes by identity, behavior and context, and the mean of the three."
    ),
    "culturevidbench": (
        "A model rates eight dimensions of each clip by the annotators' own criteria. For element, "
        "subject and action it first names the target, then what it sees of it, then the score."
    ),
    "culturevidbench_plain": (
        "The same eight dimensions and criteria, but the model gives the score at once: what the "
        "steps of the target-explicit judge change can be seen beside it."
    ),
    "judge": (
        "A model answers the study's own questions, in the words, scale and language of the "
        "annotators. Each question is a call of its own, with the reason before the number."
    ),
    "triplet_judge": (
        "A model is shown all items of a unit and puts them in order, in several orders of being "
        "shown, because models prefer places. The score is an item's mean rank."
    ),
    "unified_reward": (
        "A model rates one picture, or one frame of a clip, on its fit to the prompt, on its "
        "looks, and finally, from 1 to 5."
    ),
    "viescore": (
        "A model rates how well an item follows its prompt and how natural and free of faults it "
        "looks, each from 0 to 10; the score is the geometric mean of the lesser ratings."
    ),
    "caire": (
        "Links each picture to a knowledge base and asks a model how relevant it is to each label "
        "of a set, from 1 to 5, given what the knowledge base says. Each label is asked by itself."
    ),
    "caire_chat": (
        "Asks a model how relevant each picture is to each label of a set, from 1 to 5, with "
        "nothing but the picture: what CAIRe is compared with."
    ),
    "caire_likelihood": (
        "How probable each label's name is as the answer to which culture a picture has most to do "
        "with, with and without what is known of it. The model must tell such probabilities."
    ),
    "caire_probes": (
        "Which of five sentences about each label, from no relevance to the highest, is nearest to "
        "the picture for a SigLIP model: what CAIRe is compared with."
    ),
    "cure": (
        "How near each picture is to its activity and to its country, each named by a short text, "
        "for a SigLIP model: the mean of both cosines."
    ),
    "frame_similarity": (
        "How near each clip is to its prompt for a CLIP model: the cosine of the prompt and the "
        "mean of evenly spaced frames. A picture is a clip of one frame."
    ),
    "vendi": (
        "How many really different pictures each activity, country and system has: 1 where all are "
        "alike, their number where none resembles another. It grows with the number of pictures."
    ),
    "vqascore": (
        "A model is asked whether each picture shows its prompt; the score is the probability of "
        "yes among yes and no. The model must tell the probabilities of its words."
    ),
    "imagereward": (
        "What a model that learned which picture for a prompt people prefer gives each picture and "
        "its prompt. A clip is scored on one frame."
    ),
    "pickscore": (
        "How near each picture is to its prompt for a CLIP model that was trained on which of two "
        "pictures people preferred. A clip is scored on one frame."
    ),
}

# How a parameter acts, by metric and parameter.
HINTS = {
    ("ahead", "tau"): (
        "Two descriptors count as the same when the cosine of their embeddings is above tau: a "
        "higher tau lowers ALIGN and raises HAL. Published choices were .52 and .67, each the "
        "third quartile of the best matches on real images for one extractor of descriptors."
    ),
    **{
        (metric, "seconds"): (
            "Of a clip, the frame shown at this time is scored; of a shorter one, the last. "
            "Pictures do not use it."
        )
        for metric in (
            "caire",
            "caire_chat",
            "caire_likelihood",
            "caire_probes",
            "clipscore",
            "cure",
            "imagereward",
            "pickscore",
            "vendi",
            "vqascore",
        )
    },
}

# Why a score is undefined, to follow "not defined: ".
REASON_WORDS = {
    "no_reference": "no reference descriptors",
    "no_prediction": "no predicted descriptors",
    "no_real_images": "no real pictures of the activity and country",
    "no_prompt": "no prompt",
    "missing_media": "the file is missing",
    "undecodable": "the file cannot be read",
    "not_applicable": "not for items of this kind",
    "no_probes": "no verified probes",
    "no_audio": "the sound was not judged",
    "no_scene": "no activity or no country",
    "no_article": "no article",
    "no_labels": "no label",
    "too_few_pictures": "fewer than two pictures with scores",
    "no_logprobs": "the model gives no probabilities",
    "bad_scale": "an image-text score that is not on 0 to 1",
    "no_unit": "in no unit of two to four items",
    "not_asked": "not asked for in this run",
    "refused": "the model refused",
    "parse_failed": "the answer could not be read",
    "tied": "answers without an order came equally often",
    "no_value": "no value in the imported file",
    ITEM_FAILED: "the metric failed on this item",
}

LISTS = {
    "aligned": "Aligned: expected, and there",
    "missing": "Missing: expected, not there",
    "hallucinated": "Hallucinated: there, not expected",
}


def reason_words(reason: str) -> str:
    return REASON_WORDS.get(reason, reason.replace("_", " "))


def parameter_words(run: MetricRun) -> str:
    """E.g. ``tau 0.52``."""
    told = [(n, f"{v:g}" if isinstance(v, float) else str(v)) for n, v in run.parameters.items()]
    return ", ".join(f"{name} {value}" for name, value in told if value)


def output_words(declaration: Declaration) -> list[str]:
    """E.g. ``ALIGN: 0 to 1, higher is better``."""
    return [_output(output) for output in declaration.outputs]


def _output(output: Output) -> str:
    of = ", of each cell" if output.of == "cell" else ""
    return f"{output.name}: {range_words(output)}, {output.better} is better{of}"


def range_words(output: Output) -> str:
    """E.g. ``0 to 1``, ``from 1``, ``any number``."""
    low = "" if output.low <= -OPEN else f"{output.low:g}"
    high = "" if output.high >= OPEN else f"{output.high:g}"
    return {
        (True, True): f"{low} to {high}",
        (True, False): f"from {low}",
        (False, True): f"up to {high}",
        (False, False): "any number",
    }[bool(low), bool(high)]


def time_left(run: MetricRun, *, now: datetime, under_way: float = 0.0) -> str:
    """Rounded words such as ``about 40 s``; empty while nothing can be said.

    ``under_way`` is what is done beside the items that the run counts, see ``chunk_progress``.
    """
    computed = run.n_done - run.n_cached + under_way
    if run.state != WorkState.RUNNING or computed <= 0 or run.started_at is None:
        return ""
    seconds_an_item = (now - run.started_at) / timedelta(seconds=1) / computed
    seconds = seconds_an_item * max(run.n_items - run.n_done - under_way, 0)
    if seconds < 55:
        return f"about {max(round(seconds / 5) * 5, 5)} s"
    if seconds < 55 * 60:
        return f"about {max(round(seconds / 60), 1)} min"
    return f"about {max(round(seconds / 3600), 1)} h"
