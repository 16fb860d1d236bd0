"""A knowledge base from a JSONL file. Only texts and pictures that it never saw are encoded.

A build writes new files beside those in use and names them in ``kb.json`` at the very end, so that
who reads the knowledge base meanwhile reads the former one whole. After a kill, what was encoded
stays.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from scoring.backends.image_text import ImageTextEncoder
from scoring.backends.pictures import MediaError, open_picture
from scoring.knowledge.indices import write_index
from scoring.knowledge.records import (
    BadRecordsError,
    Entity,
    KnowledgeBaseError,
    check_entities,
    read_entities,
)
from scoring.knowledge.shelf import EntityShelf, ShelvedEntity, VectorStore

MANIFEST = "kb.json"
FORMAT = 1
TEXTS = ("lemma", "gloss", "article")
_BATCH = 64  # entities whose texts and pictures are encoded together

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``kb.json`` says: ``digest`` marks all entities, texts and pictures."""

    format: int
    build: int
    model: str
    revision: str
    dimension: int
    entities: int
    pictures: int
    digest: str

    def file(self, folder: Path, name: str) -> Path:
        suffix = "sqlite3" if name == "entities" else "faiss"
        return folder / f"{name}.{self.build}.{suffix}"


@dataclass(slots=True)
class Built:
    """What a build did."""

    manifest: Manifest | None = None
    texts: int = 0
    pictures: int = 0
    truncated: int = 0
    dropped: int = 0
    problems: list[str] = field(default_factory=list)


def encoder_mark(encoder: ImageTextEncoder) -> str:
    """Its weights, and where it tells that, how it reads texts and pictures: other vectors."""
    reading = getattr(encoder, "reading", "")
    return f"{encoder.revision}-{reading}" if reading else encoder.revision


def read_manifest(folder: Path) -> Manifest | None:
    """None where there is no knowledge base; raises ``KnowledgeBaseError`` for a broken one."""
    path = folder / MANIFEST
    if not path.is_file():
        return None
    try:
        manifest = Manifest(**json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise KnowledgeBaseError(f"{path} cannot be read ({error}). Build it anew.") from error
    if manifest.format != FORMAT:
        raise KnowledgeBaseError(f"{path} has another format than this version. Build it anew.")
    return manifest


def build_knowledge_base(
    source: Path,
    folder: Path,
    *,
    images: Path,
    encoder: ImageTextEncoder,
    on_progress: Progress | None = None,
) -> Built:
    """Make ``folder`` the knowledge base of exactly the entities in ``source``.

    Raises ``BadRecordsError`` for wrong lines and unreadable pictures (nothing is replaced then),
    and ``KnowledgeBaseError`` where the folder's vectors are of another model.
    """
    n = check_entities(source, images=images)
    former = read_manifest(folder)
    if former is not None and former.revision != encoder_mark(encoder):
        raise KnowledgeBaseError(
            f"{folder} was built with the model {former.model} ({former.revision}), not with "
            f"{encoder.model_id} ({encoder_mark(encoder)}). Build into another folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    built = Built()
    with VectorStore(folder / f"vectors.{encoder_mark(encoder)}.sqlite3") as store:
        entities = read_entities(source, images=images)
        for done, some in _batched(entities):
            _encode(some, store, encoder, built)
            if on_progress is not None:
                on_progress(done, n)
        if built.problems:
            raise BadRecordsError(built.problems)
        entities = read_entities(source, images=images)
        built.manifest = _shelve(entities, folder, store, encoder, former)
        built.dropped = _forget(store, folder, built.manifest)
    _remove_former(folder, built.manifest)
    return built


def _batched(entities: Iterator[Entity]) -> Iterator[tuple[int, list[Entity]]]:
    done = 0
    while some := list(islice(entities, _BATCH)):
        done += len(some)
        yield done, some


def _encode(
    entities: list[Entity], store: VectorStore, encoder: ImageTextEncoder, built: Built
) -> None:
    """Store the vectors of whatever is new among these."""
    texts = {text_key(t): t for e in entities for t in _texts(e).values()}
    new = store.missing(texts)
    encoded = encoder.encode_texts([texts[key] for key in new])
    store.keep({key: one.vector for key, one in zip(new, encoded, strict=True)})
    built.texts += len(new)
    built.truncated += sum(one.truncated for one in encoded)

    files = {picture_key(store.sha256_of(f)): (f, e.line) for e in entities for f in e.images}
    new = store.missing(files)
    vectors = encoder.encode_images([partial(open_picture, files[key][0]) for key in new])
    good = {k: v for k, v in zip(new, vectors, strict=True) if not isinstance(v, MediaError)}
    store.keep(good)
    built.pictures += len(good)
    for key, vector in zip(new, vectors, strict=True):
        if isinstance(vector, MediaError):
            built.problems.append(f"Line {files[key][1]}: {vector}")


def _shelve(
    entities: Iterable[Entity],
    folder: Path,
    store: VectorStore,
    encoder: ImageTextEncoder,
    former: Manifest | None,
) -> Manifest:
    """Write entities and indices, then the manifest that puts them in use."""
    build = former.build + 1 if former else 1
    draft = Manifest(FORMAT, build, encoder.model_id, encoder_mark(encoder), 0, 0, 0, "")
    path = draft.file(folder, "entities")
    path.unlink(missing_ok=True)  # of a build that was killed
    shelf = EntityShelf(path, new=True)
    digest = hashlib.sha256(draft.revision.encode())
    rows: dict[str, int] = {}
    counts = dict.fromkeys(("lemma", "gloss", "article"), 0)
    for entity in entities:
        shas = [store.sha256_of(file) for file in entity.images]
        pictures = [(rows.setdefault(sha, len(rows)), sha) for sha in shas]
        shelf.add(_shelved(entity, counts), pictures)
        content = [entity.id, entity.lemma, entity.gloss, entity.article, *shas]
        digest.update(json.dumps(content).encode())
    shelf.commit()
    dimension = _write_indices(draft, folder, shelf, store)
    shelf.close()
    manifest = Manifest(
        format=FORMAT,
        build=build,
        model=encoder.model_id,
        revision=draft.revision,
        dimension=dimension,
        entities=counts["lemma"],
        pictures=len(rows),
        digest=digest.hexdigest(),
    )
    aside = folder / f"{MANIFEST}.new"
    aside.write_text(json.dumps(asdict(manifest), indent=1), "utf-8")
    os.replace(aside, folder / MANIFEST)
    return manifest


def _write_indices(build: Manifest, folder: Path, shelf: EntityShelf, store: VectorStore) -> int:
    """One index a kind of text and one of the pictures; the length of their vectors."""
    dimension = len(store.vector(text_key(next(shelf.texts("lemma")))))
    for name in TEXTS:
        vectors = (store.vector(text_key(text)) for text in shelf.texts(name))
        write_index(build.file(folder, name), vectors, dimension=dimension)
    vectors = (store.vector(picture_key(sha)) for sha in shelf.pictures())
    write_index(build.file(folder, "pictures"), vectors, dimension=dimension)
    return dimension


def _shelved(entity: Entity, counts: dict[str, int]) -> ShelvedEntity:
    """The entity with its rows, counting up those of its texts."""
    rows: dict[str, int | None] = {}
    for name in TEXTS:
        has = bool(getattr(entity, name))
        rows[name] = counts[name] if has else None
        counts[name] += has
    return ShelvedEntity(
        row=rows["lemma"] or 0,  # every entity has a lemma; the first row is 0
        id=entity.id,
        lemma=entity.lemma,
        gloss=entity.gloss,
        article=entity.article,
        gloss_row=rows["gloss"],
        article_row=rows["article"],
    )


def _forget(store: VectorStore, folder: Path, manifest: Manifest) -> int:
    """Drop vectors of what stands in the knowledge base no more; how many."""
    shelf = EntityShelf(manifest.file(folder, "entities"))

    def wanted() -> Iterator[str]:
        for name in TEXTS:
            yield from (text_key(text) for text in shelf.texts(name))
        yield from (picture_key(sha) for sha in shelf.pictures())

    dropped = store.forget_others(wanted())
    shelf.close()
    return dropped


def _remove_former(folder: Path, manifest: Manifest) -> None:
    """Files of other builds; who has them open keeps them until the end."""
    names = ("entities", "pictures", *TEXTS)
    kept = {manifest.file(folder, name).name for name in names}
    for path in folder.iterdir():
        parts = path.name.split(".")
        if len(parts) == 3 and parts[0] in names and parts[1].isdigit() and path.name not in kept:
            path.unlink()


def _texts(entity: Entity) -> dict[str, str]:
    return {name: text for name in TEXTS if (text := getattr(entity, name))}


def text_key(text: str) -> str:
    return f"text:{hashlib.sha256(text.encode()).hexdigest()}"


def picture_key(sha256: str) -> str:
    return f"picture:{sha256}"
