"""A few beeps as a sound file, for the question whether the sound reaches a person. Pure Python."""

import math
import struct
from functools import cache

RATE = 16_000  # samples a second
TONE = 880  # Hz
BEEP, PAUSE, FADE = 0.25, 0.45, 0.02  # seconds


@cache
def beeps_wav(n: int) -> bytes:
    """``n`` beeps with pauses between, as a WAV file: mono, 16 bits, half of full loudness."""
    silence = [0] * int(RATE * PAUSE)
    samples = [*silence]
    for _ in range(n):
        samples += [*_beep(), *silence]
    data = struct.pack(f"<{len(samples)}h", *samples)
    head = struct.pack("<4sI4s", b"RIFF", 36 + len(data), b"WAVE")
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16)
    return head + form + struct.pack("<4sI", b"data", len(data)) + data


def _beep() -> list[int]:
    """One beep, faded in and out so that it does not click."""
    length = int(RATE * BEEP)
    edge = int(RATE * FADE)
    return [
        round(
            16_000
            * min(1.0, i / edge, (length - 1 - i) / edge)
            * math.sin(2 * math.pi * TONE * i / RATE)
        )
        for i in range(length)
    ]
