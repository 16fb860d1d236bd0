"""Clips made here with PyAV: judged by their streams, mended by copying, refused with a reason."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from studies.clips.copying import has_index_in_front
from studies.clips.frames import MAX_POSTER_BYTES, most_flashes
from studies.clips.preparing import PreparedClip, prepare_clip
from studies.clips.probe import probe_clip
from studies.media import UnplayableMedia, is_clip
from tests.importing.clips import make_clip, make_sound

MAKER = "Dreamforge Video 2"


@pytest.fixture
def prepared(tmp_path):
    """Prepares a file in a folder of its own."""

    def prepare(path: Path, *, convert: bool = False) -> PreparedClip:
        folder = tmp_path / f"out-{path.name}-{convert}"
        folder.mkdir()
        assert is_clip(path.read_bytes()[:1024])
        return prepare_clip(path, folder, convert=convert)

    return prepare


def refusal(prepared, path: Path) -> UnplayableMedia:
    with pytest.raises(UnplayableMedia) as refused:
        prepared(path)
    return refused.value


def coded_pictures(path: Path) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]


GOOD = {
    "a.mp4": ({"sound": "aac"}, "video/mp4"),
    "b.webm": ({"codec": "libvpx"}, "video/webm"),
    "c.webm": ({"codec": "libvpx-vp9", "sound": "libopus"}, "video/webm"),
    "d.webm": ({"codec": "libsvtav1"}, "video/webm"),
    "e.mp4": ({"codec": "libsvtav1"}, "video/mp4"),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_clip_that_every_browser_plays_keeps_its_coded_pictures(prepared, tmp_path, name):
    options, content_type = GOOD[name]
    source = make_clip(tmp_path / name, **options)
    clip = prepared(source)
    assert (clip.kind, clip.content_type) == ("video", content_type)
    assert (clip.width, clip.height, clip.duration) == (64, 48, pytest.approx(1.0, abs=0.05))
    assert clip.has_audio == ("sound" in options)
    assert coded_pictures(clip.media) == coded_pictures(source)
    assert clip.warnings == ()


@pytest.mark.parametrize("name", GOOD)
def test_what_names_the_maker_is_left_out(prepared, tmp_path, name):
    tags = {"comment": MAKER, "title": MAKER, "artist": MAKER}
    source = make_clip(tmp_path / name, **GOOD[name][0], tags=tags)
    assert MAKER.encode() in source.read_bytes()
    clip = prepared(source)
    assert MAKER.encode() not in clip.media.read_bytes()


def test_a_c2pa_box_of_an_mp4_is_left_out(prepared, tmp_path):
    source = make_clip(tmp_path / "a.mp4")
    body = bytes.fromhex("d8fec3d61b0e483c92975828877ec481") + MAKER.encode()
    source.write_bytes(source.read_bytes() + struct.pack(">I4s", len(body) + 8, b"uuid") + body)
    assert MAKER.encode() not in prepared(source).media.read_bytes()


def test_the_same_clip_gives_the_same_file(tmp_path):
    source = make_clip(tmp_path / "a.mp4", sound="aac")
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        clip = prepare_clip(source, tmp_path / name, convert=False)
        files.append([path.read_bytes() for path in (clip.media, clip.silent, clip.poster)])
    assert files[0] == files[1]


def test_an_index_at_the_end_is_moved_to_the_front_by_copying(prepared, tmp_path):
    source = make_clip(tmp_path / "a.mp4", faststart=False)
    assert not has_index_in_front(source)
    clip = prepared(source)
    assert has_index_in_front(clip.media)
    assert clip.done == ("remuxed: streams copied, index moved to the front",)
    assert coded_pictures(clip.media) == coded_pictures(source)


@pytest.mark.parametrize(("name", "came_as"), [("a.mov", "QuickTime"), ("a.mkv", "Matroska")])
def test_a_wrong_container_is_mended_by_copying(prepared, tmp_path, name, came_as):
    source = make_clip(tmp_path / name)
    clip = prepared(source)
    assert clip.content_type == "video/mp4"
    assert clip.done == (f"remuxed: streams copied from {came_as} to mp4",)
    assert probe_clip(clip.media).fault == ""


def test_a_clip_with_sound_gets_a_copy_without_it(prepared, tmp_path):
    clip = prepared(make_clip(tmp_path / "a.mp4", sound="aac"))
    assert probe_clip(clip.media).sound is not None
    assert probe_clip(clip.silent).sound is None
    assert coded_pictures(clip.silent) == coded_pictures(clip.media)
    assert prepared(make_clip(tmp_path / "b.mp4")).silent is None


def test_the_first_frame_is_the_poster(prepared, tmp_path):
    clip = prepared(make_clip(tmp_path / "a.mp4", size=(1280, 720), seconds=0.5))
    data = clip.poster.read_bytes()
    assert data.startswith(b"\xff\xd8\xff")
    assert len(data) <= MAX_POSTER_BYTES


REFUSED = {
    "hevc.mp4": ({"codec": "libx265"}, "HEVC (H.265) video: many browsers show no picture."),
    "ten.mp4": ({"pixels": "yuv420p10le"}, "10-bit (yuv420p10le): many phones show no picture."),
    "chroma.mp4": ({"pixels": "yuv444p"}, "4:4:4 (yuv444p): many phones show no picture."),
    "old.mp4": ({"codec": "mpeg4"}, "MPEG-4 part 2 video: many browsers show no picture."),
    "old.avi": ({"codec": "mpeg4"}, "MPEG-4 part 2 video: many browsers show no picture."),
    "sound.mkv": ({"sound": "flac"}, "The sound is flac: some browsers play the clip silent."),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_some_browser_cannot_play_is_refused_with_the_fix(prepared, tmp_path, name):
    options, sentence = REFUSED[name]
    refused = refusal(prepared, make_clip(tmp_path / name, **options))
    assert sentence in refused.sentence
    assert refused.fix.startswith("Convert it to H.264")


@pytest.mark.parametrize("name", REFUSED)
def test_asked_for_it_is_converted_and_the_record_says_so(prepared, tmp_path, name):
    clip = prepared(make_clip(tmp_path / name, **REFUSED[name][0]), convert=True)
    facts = probe_clip(clip.media)
    assert (facts.codec, facts.pixel_format, facts.fault) == ("h264", "yuv420p", "")
    assert clip.done[0].startswith("transcoded: ")
    assert clip.done[0].endswith("to h264 yuv420p, crf 12")
    assert (clip.width, clip.height) == (64, 48)


def test_a_clip_that_plays_is_never_converted(prepared, tmp_path):
    source = make_clip(tmp_path / "a.mp4")
    clip = prepared(source, convert=True)
    assert coded_pictures(clip.media) == coded_pictures(source)


def test_converting_is_near_lossless(prepared, tmp_path):
    source = make_clip(tmp_path / "a.mp4", codec="mpeg4", options={"qscale": "1"}, size=(320, 240))
    made = prepared(source, convert=True).media
    frames = []
    for path in (source, made):
        with av.open(str(path)) as container:
            frames.append([f.to_ndarray(format="rgb24") for f in container.decode(video=0)])
    assert len(frames[0]) == len(frames[1])
    difference = np.abs(np.array(frames[0], float) - np.array(frames[1], float)).mean()
    assert difference < 2.0


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("name", ["a.mp4", "b.webm", "end.mp4"])
def test_a_clip_that_was_cut_is_refused(prepared, tmp_path, name, part):
    options = {"codec": "libvpx"} if name == "b.webm" else {"faststart": name == "a.mp4"}
    source = make_clip(tmp_path / name, seconds=3, **options)
    data = source.read_bytes()
    source.write_bytes(data[: int(len(data) * part)])
    assert "cut short or damaged" in refusal(prepared, source).sentence


def test_a_clip_that_is_noise_behind_its_head_is_refused(prepared, tmp_path):
    source = make_clip(tmp_path / "a.mp4")
    source.write_bytes(source.read_bytes()[:64] + b"noise" * 2000)
    assert "cut short or damaged" in refusal(prepared, source).sentence


def test_a_frame_too_large_for_phones_is_refused_before_it_is_decoded(prepared, tmp_path):
    source = make_clip(tmp_path / "a.mp4", size=(10_000, 1_000), seconds=0.1, rate=10)
    assert "10000 × 1000 pixels" in refusal(prepared, source).sentence


def test_flashing_above_three_a_second_is_a_warning(prepared, tmp_path):
    fast = prepared(make_clip(tmp_path / "fast.mp4", seconds=2, rate=24, flash=6))
    slow = prepared(make_clip(tmp_path / "slow.mp4", seconds=2, rate=24, flash=2))
    (warning,) = fast.warnings
    assert "flashes 6 times in a second" in warning
    assert slow.warnings == ()


@pytest.mark.parametrize(
    ("low", "high", "share", "flashes"),
    [
        (0.0, 1.0, 1.0, 5),
        (0.0, 1.0, 0.2, 0),  # a fifth of the picture only
        (0.5, 0.55, 1.0, 0),  # a change below a tenth
        (0.85, 1.0, 1.0, 0),  # the darker side is bright
    ],
)
def test_flashes_are_pairs_of_strong_changes_on_a_quarter_of_the_picture(low, high, share, flashes):
    grids = np.zeros((60, 10, 10))
    bright = (np.arange(60) // 3) % 2 == 1  # 30 frames a second, 5 flashes
    grids[:] = low
    grids[bright, : int(10 * share)] = high
    assert most_flashes(grids, np.arange(60) / 30) == flashes


def test_a_clip_over_eight_megabytes_is_a_warning(prepared, tmp_path, monkeypatch):
    monkeypatch.setattr("studies.clips.preparing.HEAVY_BYTES", 1000)
    (warning,) = prepared(make_clip(tmp_path / "a.mp4")).warnings
    assert "over 8 MB" in warning


SOUNDS = {
    "a.mp3": ("libmp3lame", "audio/mpeg"),
    "a.m4a": ("aac", "audio/mp4"),
    "a.webm": ("libopus", "audio/webm"),
    "a.ogg": ("libopus", "audio/ogg"),
    "a.wav": ("pcm_s16le", "audio/wav"),
}


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_keeps_its_length_and_loses_its_tags(prepared, tmp_path, name):
    codec, content_type = SOUNDS[name]
    source = make_sound(tmp_path / name, codec=codec, tags={"artist": MAKER, "comment": MAKER})
    clip = prepared(source)
    assert MAKER.encode() in source.read_bytes()
    assert MAKER.encode() not in clip.media.read_bytes()
    assert (clip.kind, clip.content_type, clip.has_audio) == ("audio", content_type, True)
    assert (clip.width, clip.poster) == (None, None)
    assert clip.duration == pytest.approx(1.0, abs=0.1)


def test_a_sound_that_not_every_browser_plays_is_refused(prepared, tmp_path):
    refused = refusal(prepared, make_sound(tmp_path / "a.flac", codec="flac"))
    assert "flac" in refused.sentence
    assert "MP3" in refused.fix


def test_a_wav_that_was_cut_is_refused(prepared, tmp_path):
    source = make_sound(tmp_path / "a.wav", codec="pcm_s16le")
    source.write_bytes(source.read_bytes()[:-40_000])
    assert "cut short" in refusal(prepared, source).sentence


def lying_on_its_side(path: Path) -> Path:
    """The clip with a matrix in its track's head that turns it a quarter clockwise, as phones do
    (ISO/IEC 14496-12, track header box)."""
    data = bytearray(path.read_bytes())
    body = data.find(b"tkhd") + 4
    matrix = body + 4 + (32 if data[body] else 20) + 16
    data[matrix : matrix + 36] = struct.pack(
        ">9I", 0, 0x10000, 0, 0xFFFF0000, 0, 0, 0, 0, 0x40000000
    )
    path.write_bytes(bytes(data))
    return path


def first_frame(path: Path) -> av.VideoFrame:
    with av.open(str(path)) as clip:
        return next(clip.decode(video=0))


def test_a_clip_that_lies_on_its_side_keeps_its_turn_when_it_is_copied(prepared, tmp_path):
    clip = prepared(lying_on_its_side(make_clip(tmp_path / "a.mp4", sound="aac")))
    assert (clip.width, clip.height) == (48, 64)
    assert first_frame(clip.media).rotation == first_frame(clip.silent).rotation == -90


def test_a_clip_that_lies_on_its_side_is_upright_when_it_is_converted(prepared, tmp_path):
    source = make_clip(tmp_path / "a.mp4", codec="libx265")
    upright = np.rot90(first_frame(source).to_ndarray(format="rgb24"), k=-1)
    clip = prepared(lying_on_its_side(source), convert=True)
    frame = first_frame(clip.media)
    assert (clip.width, clip.height, frame.width, frame.height) == (48, 64, 48, 64)
    assert frame.rotation == 0
    assert np.abs(frame.to_ndarray(format="rgb24").astype(int) - upright).mean() < 4


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.avi", {"codec": "mpeg4", "sound": "mp3"}),
        ("b.mkv", {"codec": "mpeg4", "sound": "mp3"}),
        ("c.mpg", {"codec": "mpeg2video", "sound": "mp2", "rate": 25}),
    ],
)
def test_sound_without_times_of_its_own_is_converted_in_step(prepared, tmp_path, name, options):
    clip = prepared(make_clip(tmp_path / name, **options), convert=True)
    with av.open(str(clip.media)) as made:
        frames = list(made.decode(audio=0))
    assert clip.has_audio
    assert frames[-1].time == pytest.approx(1.0, abs=0.1)
    assert np.diff([frame.time for frame in frames]).min() > 0


def test_sound_of_a_high_rate_is_converted_to_one_that_aac_has(prepared, tmp_path):
    source = tmp_path / "a.mov"
    with av.open(str(source), "w") as out:
        video, audio = out.add_stream("libx264", rate=12), out.add_stream("pcm_s16le", rate=192_000)
        video.width, video.height, video.pix_fmt, audio.layout = 64, 48, "yuv420p", "5.1"
        picture = np.zeros((48, 64, 3), dtype=np.uint8)
        for n in range(12):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts = n
            out.mux(video.encode(frame))
        silence = np.zeros((1, 192_000 * 6), dtype=np.int16)
        sound = av.AudioFrame.from_ndarray(silence, format="s16", layout="5.1")
        sound.rate, sound.pts = 192_000, 0
        out.mux([*video.encode(), *audio.encode(sound), *audio.encode()])
    facts = probe_clip(prepared(source, convert=True).media)
    assert (facts.sound.codec, facts.sound.sample_rate, facts.sound.channels) == ("aac", 48_000, 2)


def test_bare_aac_gets_a_container(prepared, tmp_path):
    clip = prepared(make_sound(tmp_path / "a.aac", codec="aac"))
    assert (clip.kind, clip.content_type) == ("audio", "audio/mp4")


def test_of_several_sounds_and_subtitles_the_first_sound_stays(prepared, tmp_path):
    one = make_clip(tmp_path / "one.mp4", sound="aac")
    source = tmp_path / "two.mkv"
    with av.open(str(one)) as given, av.open(str(source), "w") as out:
        made = [out.add_stream_from_template(given.streams.video[0])]
        made += [out.add_stream_from_template(given.streams.audio[0]) for _ in range(2)]
        for packet in given.demux():
            if packet.dts is None:
                continue
            is_sound = packet.stream.type == "audio"
            packet.stream = made[1] if is_sound else made[0]
            out.mux(packet)
    clip = prepared(source)
    with av.open(str(clip.media)) as kept:
        assert [stream.type for stream in kept.streams] == ["video", "audio"]


@pytest.mark.parametrize("convert", [False, True])
def test_a_clip_whose_times_count_from_somewhere_starts_at_once(prepared, tmp_path, convert):
    options = {"codec": "mpeg2video", "sound": "mp2", "rate": 25} if convert else {"sound": "aac"}
    clip = prepared(make_clip(tmp_path / "a.ts", **options), convert=convert)
    with av.open(str(clip.media)) as made:
        starts = [float(s.start_time * s.time_base) for s in made.streams]
    assert max(starts) < 0.1
    assert first_frame(clip.media).time < 0.1


@pytest.mark.parametrize("codec", ["libx264", "libx265"])
def test_a_clip_of_a_varying_frame_rate_keeps_its_times_and_its_whole_length(tmp_path, codec):
    """Of frames that lean on later ones the header counts too few seconds."""
    times = [0, 33, 66, 200, 600, 633, 1500, 1533, 2500]
    source = tmp_path / "varying.mp4"
    quiet = {"x265-params": "log-level=none:pools=1"} if codec == "libx265" else {}
    with av.open(str(source), "w") as made:
        stream = made.add_stream(codec, rate=30, options=quiet)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for number, at in enumerate(times):
            grey = np.full((48, 64, 3), 20 * number, np.uint8)
            frame = av.VideoFrame.from_ndarray(grey, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = at, Fraction(1, 1000)
            made.mux(stream.encode(frame))
        made.mux(stream.encode())
    clip = prepare_clip(source, tmp_path, convert=codec == "libx265")
    with av.open(str(clip.media)) as given:
        assert [round(1000 * frame.time) for frame in given.decode(video=0)] == times
    assert clip.duration == pytest.approx(2.5)
