"""Embeddings of pictures and texts in one space: the CLIP and SigLIP families.

Importing this module loads no model library; torch and transformers are imported when an encoder
is first used. Weights are safetensors only, and no code that comes with a checkpoint is ever run.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import batched
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scoring.backends.frames import frame_at, uniform_frames
from scoring.backends.pictures import MediaError, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image

FAMILIES = ("clip", "siglip")
