"""Speed of metric runs: python benchmarks/metrics.py [--only overlap,warm,ahead]

`overlap`: items a second of a run of CLIPScore against a plain loop of decode, preprocess and
batched forward pass, in one process and with one model: a full-size ViT-B/32 of random weights.
Both are timed on the wall by turns, so that other work on the machine meets both. The run is cold:
nothing is in the stores.
`warm`: the same run again, of as many items as wanted with three scores each: everything is in the
store of scores.
`ahead`: AHEaD on items with descriptors seen and expected, in the chunks of a run. Texts are given
random vectors, so that what is timed is AHEaD and not the embedder; each distinct text is asked for
once.
A site of its own in a scratch folder (SQLite).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scratch import scratch_site

BATCH = 32
CHUNK = 50
DIMENSIONS = ("setting", "objects", "attire", "interaction", "layout")
WORDS = [f"word{n}" for n in range(200)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(MEASURED), help="measurements by name")
    parser.add_argument("--pictures", type=int, default=256, help="of overlap")
    parser.add_argument("--turns", type=int, default=3, help="of overlap, each side")
    parser.add_argument("--items", type=int, default=10_000, help="of warm")
    parser.add_argument("--described", type=int, default=20_000, help="items of ahead")
    parser.add_argument("--descriptors", type=int, default=50, help="seen and expected, each")
    arguments = parser.parse_args()
    with scratch_site("metrics", CLIP_MODEL="{folder}/clip") as folder:
        for name in arguments.only.split(","):
            for line in MEASURED[name](arguments, folder):
                print(f"{name}: {line}", flush=True)


# ---- a cold run against a plain loop


def overlap(arguments: argparse.Namespace, folder: Path) -> Iterator[str]:
    _save_checkpoint(folder / "clip")
    study = _study("overlap")
    paths = _picture_items(study, arguments.pictures)
    from scoring.encoders import image_text_encoder

    encoder = image_text_encoder("clip")
    encoder.load()
    _plain_loop(encoder, paths[:BATCH])  # the first pass of a model is slower
    plain, run = [], []
    for _ in range(arguments.turns):
        plain.append(_seconds(lambda: _plain_loop(encoder, paths)))
        _empty_stores()
        run.append(_seconds(lambda: _run(study, "clipscore", {})))
    n = len(paths)
    yield f"plain loop {n / min(plain):.1f} items/s, run {n / min(run):.1f} items/s"
    ratios = ", ".join(f"{p / r:.3f}" for p, r in zip(plain, run, strict=True))
    yield f"run over plain loop, turn by turn: {ratios}; of the best: {min(plain) / min(run):.3f}"


def _plain_loop(encoder: Any, paths: Sequence[Path]) -> np.ndarray:
    """As people write it: open, prepare, stack, one forward pass of each tower a batch."""
    import torch
    from PIL import Image

    model, processor, tokenizer = encoder._model, encoder._processor, encoder._tokenizer
    cosines = []
    for start in range(0, len(paths), BATCH):
        batch = paths[start : start + BATCH]
        images = [Image.open(path).convert("RGB") for path in batch]
        texts = [_prompt(int(path.stem)) for path in batch]
        with torch.inference_mode():
            pixels = processor(images=images, return_tensors="pt")["pixel_values"]
            seen = model.get_image_features(pixel_values=pixels).pooler_output
            tokens = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
            read = model.get_text_features(**tokens).pooler_output
        cosines.append(torch.nn.functional.cosine_similarity(seen, read).numpy())
    return np.concatenate(cosines)


def _save_checkpoint(directory: Path) -> None:
    """CLIP ViT-B/32 with its real sizes, random weights and a vocabulary of few words."""
    import torch
    import transformers

    torch.manual_seed(1)
    vocabulary = ["<|startoftext|>", "<|endoftext|>", *(f"{word}</w>" for word in WORDS)]
    tokens = {token: n for n, token in enumerate(vocabulary)}
    characters = sorted(set("".join(WORDS)))
    for token in [*characters, *(f"{one}</w>" for one in characters)]:
        tokens.setdefault(token, len(tokens))
    config = transformers.CLIPConfig()
    config.text_config.bos_token_id, config.text_config.eos_token_id = 0, 1
    transformers.CLIPModel(config).save_pretrained(directory, safe_serialization=True)
    transformers.CLIPImageProcessorPil().save_pretrained(directory)
    tokenizer = transformers.CLIPTokenizer(vocab=tokens, merges=[], model_max_length=77)
    tokenizer.save_pretrained(directory)


def _picture_items(study: Any, n: int) -> list[Path]:
    """Items with noise of 512 x 512 pixels as JPEG, and a prompt of their own."""
    from django.conf import settings
    from PIL import Image

    from studies.models import Item

    folder = Path(settings.MEDIA_ROOT)
    (folder / "items").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    paths = []
    for number in range(n):
        coarse = rng.integers(0, 256, size=(64, 64, 3), dtype=np.uint8)
        path = folder / "items" / f"{number}.jpg"
        Image.fromarray(coarse).resize((512, 512)).save(path, quality=90)
        paths.append(path)
    Item.objects.bulk_create(
        Item(
            study=study,
            external_id=f"item-{number:05}",
            prompt=_prompt(number),
            media=f"items/{number}.jpg",
            content_type="image/jpeg",
            sha256=f"{number:064x}",
            source_name=f"{number}.jpg",
            width=512,
            height=512,
        )
        for number in range(n)
    )
    return paths


def _prompt(number: int) -> str:
    return " ".join(WORDS[(number * k) % len(WORDS)] for k in range(1, 13))


# ---- the same again


def warm(arguments: argparse.Namespace, folder: Path) -> Iterator[str]:
    from scoring.metrics import base
    from studies.models import Item

    study = _study("warm")
    Item.objects.bulk_create(
        [
            Item(
                study=study,
                external_id=f"item-{number:05}",
                prompt=_prompt(number),
                media=f"items/{number}.jpg",
                content_type="image/jpeg",
                sha256=f"{number:064x}",
                source_name=f"{number}.jpg",
            )
            for number in range(arguments.items)
        ],
        batch_size=500,
    )
    base.register(_Lengths())
    cold = _seconds(lambda: _run(study, "lengths", {}))
    processor = time.process_time()
    warm = _seconds(lambda: _run(study, "lengths", {}))
    processor = time.process_time() - processor
    newest = study.metric_runs.first()
    yield f"{newest.n_cached} of {newest.n_items} found, {newest.scores.count()} scores"
    yield f"first run {cold:.2f} s, the same again {warm:.2f} s ({processor:.2f} s of processor)"


class _Lengths:
    """Three scores an item with some evidence, at no cost: what is timed is the machinery."""

    def __init__(self) -> None:
        from scoring.metrics.base import Declaration, Needs, Output

        self.declaration = Declaration(
            key="lengths",
            name="Lengths",
            family="Benchmark",
            version="1",
            modality="image",
            source="none",
            needs=Needs(item_fields=("prompt", "kind", "file", "sha256")),
            outputs=tuple(Output(f"length_{n}", f"{n}", 0, 1e6, "higher") for n in range(3)),
        )

    def score(self, *, items: Any, **_: Any) -> Iterator[Any]:
        from scoring.metrics.base import ScoreRow

        for item in items:
            evidence = {"prompt": item.fields["prompt"], "truncated": False}
            for n in range(3):
                value = float(len(item.fields["prompt"]) + n)
                yield ScoreRow(item.key, f"length_{n}", "", value, "", evidence)


# ---- AHEaD


class _RandomVectors:
    """Unit vectors by text; counts how many texts it was asked for."""

    model_id = revision = "random"

    def __init__(self, n: int) -> None:
        vectors = np.random.default_rng(1).normal(size=(n, 384)).astype(np.float32)
        self._vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return self._vectors[[int(text.rpartition(" ")[2]) for text in texts]]


def ahead(arguments: argparse.Namespace, folder: Path) -> Iterator[str]:
    from scoring.metrics import get_metric
    from scoring.metrics.base import MetricItem

    n, each = arguments.described, arguments.descriptors
    n_texts, a_dimension = 20_000, each // len(DIMENSIONS)
    rng = np.random.default_rng(2)

    def sets() -> dict[str, tuple[str, ...]]:
        drawn = rng.choice(n_texts, size=(len(DIMENSIONS), a_dimension), replace=False)
        return {
            dimension: tuple(f"descriptor {number}" for number in row)
            for dimension, row in zip(DIMENSIONS, drawn, strict=True)
        }

    scenes = [sets() for _ in range(100)]
    items = [
        MetricItem(str(k), {}, inputs={"references": scenes[k % 100], "seen": sets(), "why": {}})
        for k in range(n)
    ]
    backend = {"text_embedder": _RandomVectors(n_texts), "scorer": None}
    metric, parameters = get_metric("ahead"), {"tau": 0.1}

    def score_all() -> int:
        rows = 0
        for start in range(0, n, CHUNK):
            chunk = items[start : start + CHUNK]
            rows += len(
                list(
                    metric.score(
                        items=chunk, descriptors=[], backend=backend, parameters=parameters
                    )
                )
            )
        return rows

    began, processor = time.monotonic(), time.process_time()
    rows = score_all()
    took, processor = time.monotonic() - began, time.process_time() - processor
    yield f"{n} items with {each} seen and {each} expected: {took:.1f} s, {n / took:.0f} items/s"
    yield f"{processor:.1f} s of processor, {n / processor:.0f} items a second of it"
    yield f"{rows} score rows"


# ---- shared


def _study(slug: str) -> Any:
    from accounts.models import User
    from studies.models import Study

    owner, _ = User.objects.get_or_create(username="ana")
    return Study.objects.create(owner=owner, title=slug, slug=slug, public_title=slug)


def _run(study: Any, metric: str, parameters: dict[str, Any]) -> None:
    from scoring import runs

    run = runs.request_run(
        study=study, metric=metric, parameters=parameters, by=None, foreground=True
    )
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    if run.state != "done" or run.n_failed or run.n_undefined:
        raise SystemExit(f"The run is {run.state}: {run.error} {run.n_failed} failed.")


def _empty_stores() -> None:
    from scoring.models import CachedScore, StoredVector

    CachedScore.objects.all().delete()
    StoredVector.objects.all().delete()


def _seconds(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


MEASURED: dict[str, Callable[[argparse.Namespace, Path], Iterator[str]]] = {
    "overlap": overlap,
    "warm": warm,
    "ahead": ahead,
}

if __name__ == "__main__":
    main()
