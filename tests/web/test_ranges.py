"""Media in ranges: what RFC 9110 asks, capped, and only what an annotator may be shown."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile

from studies.byte_ranges import ByteRange, UnsatisfiableRange, read_range
from studies.lifecycle import launch_study
from studies.models import Item, Study
from studies.views_media import MOST_BYTES
from tests.conftest import picture

CLIP = bytes(range(256)) * 10  # 2,560 bytes that tell their place


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("bytes=0-", ByteRange(0, 2559)),
        ("bytes=0-0", ByteRange(0, 0)),
        ("bytes=5-9", ByteRange(5, 9)),
        ("bytes=2559-", ByteRange(2559, 2559)),
        ("bytes=2000-99999", ByteRange(2000, 2559)),
        ("bytes=-10", ByteRange(2550, 2559)),
        ("bytes=-99999", ByteRange(0, 2559)),
        ("bytes= 5-9", ByteRange(5, 9)),
        ("", None),
        ("bytes=", None),
        ("bytes=-", None),
        ("bytes=9-5", None),
        ("bytes=a-b", None),
        ("bytes=٣-٥", None),
        ("pages=1-2", None),
        ("bytes=0-1,5-6", None),
        ("bytes=0-" + 30 * "9", None),
    ],
)
def test_a_range_header_is_read_as_the_standard_says(header, wanted) -> None:
    assert read_range(header, 2560) == wanted


@pytest.mark.parametrize("header", ["bytes=2560-", "bytes=9999-10000", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused(header) -> None:
    with pytest.raises(UnsatisfiableRange):
        read_range(header, 2560)


@pytest.mark.parametrize("header", ["bytes=0-", "bytes=-1"])
def test_no_range_of_an_empty_file_can_be_given(header) -> None:
    with pytest.raises(UnsatisfiableRange):
        read_range(header, 0)


@pytest.fixture
def clip(draft_study) -> Item:
    """A clip with sound, its soundless rendition and its first frame."""
    item = draft_study.items.first()
    item.kind, item.content_type, item.has_audio = Item.Kind.VIDEO, "video/mp4", True
    item.media.save("clip.mp4", ContentFile(CLIP), save=False)
    item.silent_media.save("clip.mp4", ContentFile(b"soundless"), save=False)
    item.poster.save("clip.png", ContentFile(picture()), save=False)
    item.save()
    return item


@pytest.fixture
def heard(clip) -> Item:
    """The same clip where its sound may be heard."""
    _rule(clip.study, Study.Sound.FREE)
    return clip


def _rule(study: Study, sound: str) -> None:
    study.sound = sound
    study.save(update_fields=["sound"])


def body(response) -> bytes:
    return b"".join(response.streaming_content)


class TestParts:
    pytestmark = pytest.mark.django_db

    @pytest.mark.parametrize(
        ("header", "part", "says"),
        [
            ("bytes=0-", CLIP, "bytes 0-2559/2560"),
            ("bytes=0-0", CLIP[:1], "bytes 0-0/2560"),
            ("bytes=100-199", CLIP[100:200], "bytes 100-199/2560"),
            ("bytes=-60", CLIP[-60:], "bytes 2500-2559/2560"),
        ],
    )
    def test_the_asked_bytes_go_out_and_are_named(self, client, heard, header, part, says):
        response = client.get(heard.media_url, headers={"range": header})
        assert response.status_code == 206
        assert body(response) == part
        assert response["Content-Range"] == says
        assert response["Content-Length"] == str(len(part))
        assert response["Content-Type"] == "video/mp4"

    def test_a_long_part_is_cut_and_the_player_asks_for_the_rest(self, client, heard):
        heard.media.save("clip.mp4", ContentFile(b"x" * (MOST_BYTES + 9)))
        response = client.get(heard.media_url, headers={"range": "bytes=0-"})
        assert response["Content-Range"] == f"bytes 0-{MOST_BYTES - 1}/{MOST_BYTES + 9}"
        assert len(body(response)) == MOST_BYTES
        rest = client.get(heard.media_url, headers={"range": f"bytes={MOST_BYTES}-"})
        assert body(rest) == b"x" * 9

    def test_bytes_beyond_the_end_are_refused_with_the_length(self, client, heard):
        response = client.get(heard.media_url, headers={"range": "bytes=2560-"})
        assert response.status_code == 416
        assert response["Content-Range"] == "bytes */2560"

    @pytest.mark.parametrize("header", ["bytes=0-1,5-6", "lines=1-2", "bytes=9-5"])
    def test_a_range_that_is_not_understood_gives_the_whole(self, client, heard, header):
        response = client.get(heard.media_url, headers={"range": header})
        assert response.status_code == 200
        assert body(response) == CLIP
        assert response["Accept-Ranges"] == "bytes"

    def test_a_head_request_has_no_parts(self, client, heard):
        response = client.head(heard.media_url, headers={"range": "bytes=0-9"})
        assert response.status_code == 200
        assert response["Content-Length"] == "2560"

    def test_a_download_goes_on_only_with_the_same_file(self, client, heard):
        etag = client.head(heard.media_url)["ETag"]
        same = client.get(heard.media_url, headers={"range": "bytes=5-9", "if-range": etag})
        assert (same.status_code, body(same)) == (206, CLIP[5:10])
        other = client.get(heard.media_url, headers={"range": "bytes=5-9", "if-range": '"old"'})
        assert (other.status_code, body(other)) == (200, CLIP)

    def test_what_the_browser_has_is_not_sent_again(self, client, heard):
        etag = client.head(heard.media_url)["ETag"]
        assert client.get(heard.media_url, headers={"if-none-match": etag}).status_code == 304

    def test_no_part_names_the_file_it_came_from(self, client, heard):
        response = client.get(heard.media_url, headers={"range": "bytes=0-"})
        assert response["Content-Disposition"] == "inline"
        assert heard.source_name not in str(response.headers)

    def test_a_missing_file_is_not_found(self, client, heard):
        heard.media.storage.delete(heard.media.name)
        response = client.get(heard.media_url, headers={"range": "bytes=0-"})
        assert response.status_code == 404


class TestSound:
    pytestmark = pytest.mark.django_db

    def test_where_sound_is_off_only_the_soundless_rendition_goes_out(self, client, clip):
        assert clip.study.sound == Study.Sound.OFF
        assert body(client.get(clip.media_url)) == b"soundless"
        part = client.get(clip.media_url, headers={"range": "bytes=0-3"})
        assert body(part) == b"soun"

    def test_the_rule_of_the_launched_design_counts_not_a_later_edit(
        self, client, clip, researcher
    ):
        launch_study(study=clip.study, by=researcher)
        Study.objects.update(sound=Study.Sound.FREE)
        assert body(client.get(clip.media_url)) == b"soundless"

    @pytest.mark.parametrize("rule", [Study.Sound.FREE, Study.Sound.JUDGED])
    def test_where_sound_belongs_to_the_task_the_clip_goes_out_as_it_is(self, client, clip, rule):
        _rule(clip.study, rule)
        assert body(client.get(clip.media_url)) == CLIP

    def test_renditions_are_never_taken_for_each_other(self, client, clip):
        soundless = client.head(clip.media_url)
        _rule(clip.study, Study.Sound.FREE)
        assert client.head(clip.media_url)["ETag"] != soundless["ETag"]
        assert "immutable" not in soundless["Cache-Control"]  # a draft's rule may still change

    def test_a_launched_clip_may_be_kept_for_good(self, client, clip, researcher):
        launch_study(study=clip.study, by=researcher)
        assert "immutable" in client.head(clip.media_url)["Cache-Control"]

    def test_the_first_frame_has_an_address_of_its_own(self, client, clip):
        response = client.get(f"/media/{clip.public_id}/poster")
        assert body(response) == picture()
        assert response["Content-Type"] == "image/png"

    def test_another_clip_under_the_same_id_has_another_first_frame(self, client, clip, researcher):
        """Browsers keep it for good: its address must be new where its contents are."""
        before = clip.poster_url
        assert body(client.get(before)) == picture()
        clip.sha256 = "f" * 64
        assert clip.poster_url != before
        clip.save()
        client.force_login(researcher)
        page = client.get(f"/studies/{clip.study.slug}/preview/1/").content.decode()
        assert f'poster="{clip.poster_url}"' in page

    def test_a_picture_has_no_poster(self, client, clip):
        other = clip.study.items.last()
        assert client.get(f"/media/{other.public_id}/poster").status_code == 404
