"""Picture files made here with Pillow: recognised by their bytes, cleaned, no pixel changed."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from studies.media import ImageFacts, UnplayableMedia, probe_image, strip_metadata

GENERATOR = "Dreamforge XL 3"
SECRET = GENERATOR.encode()
XMP = f'<x:xmpmeta><rdf:li tool="{GENERATOR}"/></x:xmpmeta>'.encode()
FORMATS = ("PNG", "JPEG", "WEBP", "AVIF")


def picture(mode: str = "RGB", size: tuple[int, int] = (60, 40)) -> Image.Image:
    across = Image.linear_gradient("L").resize(size)
    down = Image.radial_gradient("L").resize(size)
    bands = [across, down, ImageOps.invert(across), down][: len(Image.new(mode, (1, 1)).getbands())]
    return Image.merge(mode, bands) if len(bands) > 1 else bands[0].convert(mode)


def saved(image: Image.Image, format: str, **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    block = Image.Exif()
    block[0x0131] = GENERATOR  # Software
    block[0x0112] = orientation
    return block


def frames(data: bytes) -> list[bytes]:
    """Every frame's pixels as a person sees them: decoded, turned upright."""
    seen = []
    with Image.open(io.BytesIO(data)) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            seen.append(ImageOps.exif_transpose(image).convert("RGBA").tobytes())
    return seen


def marked_png(orientation: int = 1, **options) -> bytes:
    text = PngImagePlugin.PngInfo()
    text.add_text("parameters", f"a wedding, Model: {GENERATOR}")
    text.add_text("workflow", GENERATOR, zip=True)
    text.add_itxt("XML:com.adobe.xmp", XMP.decode())
    data = saved(picture("RGBA"), "PNG", pnginfo=text, exif=exif(orientation), **options)
    extra = b"".join(chunk(name, SECRET) for name in (b"tIME", b"caBX", b"prVt"))
    return data[:-12] + extra + data[-12:]


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def marked_jpeg(orientation: int = 1, **options) -> bytes:
    data = saved(
        picture(), "JPEG", exif=exif(orientation), comment=SECRET, xmp=XMP, quality=90, **options
    )
    segments = b"".join(
        b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body
        for marker, body in (
            (0xEB, b"JP\x00\x01\x00\x00\x00\x01jumb" + SECRET),  # C2PA travels in APP11
            (0xED, b"Photoshop 3.0\x00" + SECRET),
            (0xE2, b"FPXR\x00" + SECRET),
            (0xE5, SECRET),
        )
    )
    return data[:2] + segments + data[2:]


def marked_webp(orientation: int = 1, **options) -> bytes:
    data = saved(picture("RGBA"), "WEBP", exif=exif(orientation), xmp=XMP, **options)
    content = (
        data[8:] + b"C2PA" + struct.pack("<I", len(SECRET)) + SECRET + b"\0" * (len(SECRET) % 2)
    )
    return b"RIFF" + struct.pack("<I", len(content)) + content


MARKED = {"png": marked_png, "jpeg": marked_jpeg, "webp": marked_webp}


@pytest.mark.parametrize("format", FORMATS)
def test_the_bytes_say_what_a_picture_is(format):
    facts = probe_image(saved(picture(), format))

    kind = format.lower()
    assert facts == ImageFacts(kind, f"image/{kind}", 60, 40, animated=False)


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_an_animation_is_recognised(format):
    data = saved(
        picture(),
        format,
        save_all=True,
        append_images=[picture().transpose(Image.Transpose.ROTATE_180)],
    )

    assert probe_image(data).animated is True


def test_width_and_height_are_those_on_screen():
    facts = probe_image(marked_jpeg(orientation=6))

    assert (facts.width, facts.height) == (40, 60)


@pytest.mark.parametrize(
    ("data", "sentence", "fix"),
    [
        (b"", "empty", "again"),
        (b"A wedding in Nepal, by hand", "neither picture nor clip", "PNG"),
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "SVG", "PNG or JPEG"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC", "PNG or JPEG"),
        (b"\0\0\0\x18ftypisom\0\0\0\0isomavc1", "MP4-like", "PNG or JPEG"),
        (saved(picture("P"), "GIF"), "GIF", "MP4"),
        (saved(picture(), "TIFF"), "TIFF", "PNG or JPEG"),
        (saved(picture(), "BMP"), "BMP", "PNG or JPEG"),
        (saved(picture("CMYK"), "JPEG"), "CMYK", "RGB"),
    ],
    ids=["empty", "text", "svg", "heic", "mp4", "gif", "tiff", "bmp", "cmyk"],
)
def test_what_cannot_be_shown_is_refused_with_a_way_out(data, sentence, fix):
    with pytest.raises(UnplayableMedia) as refused:
        probe_image(data)

    assert sentence in refused.value.sentence
    assert fix in refused.value.fix


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_a_file_that_is_cut_short_is_refused(format, share):
    data = saved(picture(size=(300, 200)), format)

    with pytest.raises(UnplayableMedia, match=r"cut short or damaged|not a picture"):
        probe_image(data[: max(12, int(len(data) * share))])


def test_a_png_with_a_flipped_bit_is_refused():
    data = bytearray(saved(picture(), "PNG"))
    data[len(data) // 2] ^= 0x10

    with pytest.raises(UnplayableMedia, match="damaged"):
        probe_image(bytes(data))


def png_that_claims(width: int, height: int) -> bytes:
    data = saved(picture(), "PNG")
    head = chunk(b"IHDR", struct.pack(">II", width, height) + data[24:29])
    return data[:8] + head + data[33:]


def jpeg_that_claims(width: int, height: int) -> bytes:
    data = saved(picture(), "JPEG")
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + struct.pack(">HH", height, width) + data[at + 4 :]


def webp_that_claims(width: int, height: int) -> bytes:
    data = marked_webp()
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return data[:24] + size + data[30:]


@pytest.mark.parametrize("claim", [png_that_claims, jpeg_that_claims, webp_that_claims])
def test_a_decompression_bomb_is_refused_before_anything_is_decoded(claim, monkeypatch):
    def no_decoding(*_args, **_kwargs):
        raise AssertionError("the file was opened")

    data = claim(10_001, 5_000)
    monkeypatch.setattr(Image, "open", no_decoding)

    with pytest.raises(UnplayableMedia, match="50 million pixels") as refused:
        probe_image(data)
    assert "Scale it down" in refused.value.fix


@pytest.mark.parametrize("claim", [png_that_claims, jpeg_that_claims])
def test_a_picture_without_area_is_refused(claim):
    with pytest.raises(UnplayableMedia, match="no area"):
        probe_image(claim(0, 40))


def test_fifty_million_pixels_are_still_allowed():
    facts = probe_image(saved(Image.new("1", (10_000, 5_000)), "PNG"))

    assert (facts.width, facts.height) == (10_000, 5_000)


@pytest.mark.parametrize("kind", MARKED)
@pytest.mark.parametrize("orientation", [1, 3, 6])
def test_the_generator_is_gone_and_no_pixel_changed(kind, orientation):
    data = MARKED[kind](orientation)
    assert SECRET in data

    clean = strip_metadata(data, kind)

    assert SECRET not in clean
    assert b"parameters" not in clean
    assert frames(clean) == frames(data)
    assert probe_image(clean) == probe_image(data)


@pytest.mark.parametrize("kind", MARKED)
def test_an_upright_picture_keeps_no_exif_at_all(kind):
    clean = strip_metadata(MARKED[kind](1), kind)

    assert not Image.open(io.BytesIO(clean)).getexif()


@pytest.mark.parametrize("kind", MARKED)
def test_a_turned_picture_keeps_its_orientation_and_nothing_else(kind):
    clean = strip_metadata(MARKED[kind](6), kind)

    assert dict(Image.open(io.BytesIO(clean)).getexif()) == {0x0112: 6}


@pytest.mark.parametrize("kind", MARKED)
def test_cleaning_twice_changes_nothing_more(kind):
    once = strip_metadata(MARKED[kind](6), kind)

    assert strip_metadata(once, kind) == once


@pytest.mark.parametrize("kind", [*MARKED, "avif"])
def test_a_picture_without_metadata_passes_byte_for_byte(kind):
    data = saved(picture(), kind.upper())

    assert strip_metadata(data, kind) == data


@pytest.mark.parametrize("kind", MARKED)
def test_whatever_follows_the_picture_is_dropped(kind):
    data = saved(picture(), kind.upper())

    assert strip_metadata(data + b"tail " + SECRET, kind) == data


@pytest.mark.parametrize("kind", MARKED)
def test_the_colour_profile_stays(kind):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()

    clean = strip_metadata(MARKED[kind](1, icc_profile=profile), kind)

    assert Image.open(io.BytesIO(clean)).info["icc_profile"] == profile


def test_a_progressive_jpeg_keeps_all_its_scans():
    data = marked_jpeg(6, progressive=True)

    clean = strip_metadata(data, "jpeg")

    assert clean.count(b"\xff\xda") == data.count(b"\xff\xda") > 1
    assert frames(clean) == frames(data)


def test_only_the_first_picture_of_a_phones_double_jpeg_stays():
    data = saved(picture(), "MPO", save_all=True, append_images=[picture().rotate(180)])

    clean = strip_metadata(data, "jpeg")

    assert (
        probe_image(data) == probe_image(clean) == ImageFacts("jpeg", "image/jpeg", 60, 40, False)
    )
    assert len(clean) < 0.7 * len(data)
    assert frames(clean) == frames(data)[:1]


@pytest.mark.parametrize("kind", ["png", "webp"])
def test_an_animation_keeps_its_frames(kind):
    turned = picture("RGBA").transpose(Image.Transpose.ROTATE_180)
    data = MARKED[kind](save_all=True, append_images=[turned], duration=[100, 300])

    clean = strip_metadata(data, kind)

    assert SECRET not in clean
    assert len(frames(clean)) == 2
    assert frames(clean) == frames(data)


def test_a_chunk_hidden_inside_an_animation_frame_is_dropped():
    turned = picture("RGBA").transpose(Image.Transpose.ROTATE_180)
    data = saved(picture("RGBA"), "WEBP", save_all=True, append_images=[turned], lossless=True)
    at = data.rindex(b"ANMF")
    (size,) = struct.unpack_from("<I", data, at + 4)
    hidden = b"NOTE" + struct.pack("<I", len(SECRET) + 1) + SECRET + b"\0"
    hidden += b"\0" * (len(hidden) % 2)
    body = data[at + 8 : at + 8 + size] + hidden
    content = data[8:at] + b"ANMF" + struct.pack("<I", len(body)) + body
    marked = b"RIFF" + struct.pack("<I", len(content)) + content

    clean = strip_metadata(marked, "webp")

    assert SECRET not in clean
    assert frames(clean) == frames(marked)


@pytest.mark.parametrize("options", [{"exif": exif()}, {"xmp": XMP}], ids=["exif", "xmp"])
def test_an_avif_loses_its_metadata_and_no_pixel(options):
    data = saved(picture(), "AVIF", **options)
    clean = strip_metadata(data, "avif")
    assert SECRET in data
    assert SECRET not in clean
    assert len(clean) == len(data)
    assert frames(clean) == frames(data)
    with Image.open(io.BytesIO(clean)) as image:
        assert not image.getexif()


def test_an_avif_loses_a_c2pa_box_and_no_pixel():
    box = struct.pack(">I4s", 24, b"uuid") + b"c2pa manifest 16"
    data = saved(picture(), "AVIF")
    clean = strip_metadata(data + box, "avif")
    assert b"c2pa" not in clean
    assert clean.startswith(data)


def test_an_avif_whose_locations_lead_outside_it_is_damaged():
    data = bytearray(saved(picture(), "AVIF", exif=exif()))
    at = data.index(b"iloc")
    data[at + 8 : at + 80] = b"\xff" * 72
    with pytest.raises(UnplayableMedia, match="damaged"):
        strip_metadata(bytes(data), "avif")


def test_an_animated_avif_passes_when_it_is_clean():
    data = saved(picture(), "AVIF", save_all=True, append_images=[picture().rotate(180)])

    assert strip_metadata(data, "avif") == data


@pytest.mark.parametrize("kind", MARKED)
def test_cleaning_a_cut_file_is_a_named_error(kind):
    with pytest.raises(UnplayableMedia, match="cut short"):
        strip_metadata(MARKED[kind]()[:40], kind)


def test_an_unknown_format_is_a_programming_error():
    with pytest.raises(ValueError, match="jpeg, png, webp, avif"):
        strip_metadata(b"GIF89a", "gif")


def test_an_avif_that_its_decoder_gives_up_on_is_damaged():
    data = saved(picture(), "AVIF")
    at = int.from_bytes(data[:4], "big")
    shifted = data[:at] + struct.pack(">I", 32) + b"free" + bytes(24) + data[at:]
    with pytest.raises(UnplayableMedia, match="damaged"):
        probe_image(shifted)


def test_a_web_page_in_place_of_a_picture_is_named_as_one():
    with pytest.raises(UnplayableMedia, match="web page"):
        probe_image(b"\n<!DOCTYPE html><html><body>Please log in</body></html>")
