"""The XML scanner: TinyXML's grammar, no entities, bounded."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibody.core.assets import xml
from unibody.core.assets.limits import Limits
from unibody.core.assets.xml import parse_xml, read_xml
from unibody.errors import AssetError


@pytest.mark.parametrize(
    "text",
    [
        "some text<r/>",
        '\n\n<?xml version="1.0"?>\n<r/>',
        '<?xml version="0.0" ?><r/>',
        "<!-- a -- b ---><r/>",
        "<!DOCTYPE r><r/>",
        "<other/><r/>",
        "<r/></r>",
        "<r/>\n\x00",
        "\ufeff<r/>",
        "< r ></r >",
    ],
)
def test_what_tinyxml_accepts_around_the_root_is_accepted(text: str) -> None:
    assert parse_xml(text, root="r").tag == "r"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a & b", "a & b"),
        ("a<b", "a<b"),
        ("&lt;&#65;&#x42;&quot;", '<AB"'),
        ("&unknown;", "&unknown;"),
        ("&#0;&#xD800;&#1114112;", "&#0;&#xD800;&#1114112;"),
    ],
)
def test_attribute_values_keep_what_is_not_one_of_the_five_entities(
    value: str, expected: str
) -> None:
    assert parse_xml(f'<r a="{value}"/>', root="r").get("a") == expected


def test_prefixed_names_need_no_namespace_declaration() -> None:
    root = parse_xml('<r><sensor:camera a:b="1"/></r>', root="r")
    assert root[0].tag == "sensor:camera"
    assert root[0].attrib == {"a:b": "1"}


def test_text_before_the_first_child_is_kept_without_comments() -> None:
    root = parse_xml("<r>1 <!-- x -->2 <![CDATA[<3>]]><a/>tail</r>", root="r")
    assert root.text == "1 2 <3>"
    assert root[0].tail is None


def test_every_element_knows_its_line() -> None:
    root = parse_xml("<r>\n<!--\n-->\n<a/><b\n/></r>", root="r")
    assert [(element.tag, element.line) for element in root] == [("a", 4), ("b", 4)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<r>\n<a>\n</r>", "line 3: malformed XML: </r> closes <a> of line 2"),
        ("<r>\n<a/>", "line 2: malformed XML: <r> of line 1 is not closed"),
        ('<r a="1" a="2"/>', "attribute 'a' twice"),
        ("<r a=1/>", "goes on with 'a=1/>'"),
        ("<r>\n\n<!-- ", "line 3: malformed XML: not closed by '-->'"),
        ("<r><1/></r>", "not the start of an element"),
        ("<q/>", "expected a <r> element, found <q>"),
        ("", "expected a <r> element, found no element"),
    ],
)
def test_malformed_text_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(AssetError) as caught:
        parse_xml(text, file="f.xml", root="r")
    assert message in str(caught.value)
    assert str(caught.value).startswith("f.xml")


def test_entities_are_never_expanded() -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r x="&b;">&b;</r>'
    root = parse_xml(bomb, root="r")
    assert (root.text, root.get("x")) == ("&b;", "&b;")


def test_external_entities_open_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    root = parse_xml(f'<!DOCTYPE r [<!ENTITY a SYSTEM "{secret}">]><r>&a;</r>', root="r")
    assert root.text == "&a;"


def test_a_file_that_is_not_utf8_is_read_as_latin1(tmp_path: Path) -> None:
    file = tmp_path / "latin.xml"
    file.write_bytes('<r name="caf\xe9"/>'.encode("latin-1"))
    assert read_xml(file, root="r").get("name") == "caf\xe9"


def test_a_file_larger_than_the_limit_is_not_parsed(tmp_path: Path) -> None:
    file = tmp_path / "large.xml"
    file.write_text("<r>" + " " * 100 + "</r>")
    with pytest.raises(AssetError, match="larger than the limit of 50 bytes"):
        read_xml(file, Limits(file_bytes=50), root="r")


def test_a_missing_file_is_an_asset_error(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="cannot be read"):
        read_xml(tmp_path / "none.xml", root="r")


@pytest.mark.parametrize(
    "text",
    [
        "<r>" + "x<!---->" * 100_000 + "</r>",
        "<r " + " " * 500_000,
        "<r>" + "&" * 500_000 + "</r>",
        "<" * 500_000,
        '<r a="' * 100_000,
    ],
)
def test_reading_time_grows_with_the_size_and_not_faster(text: str) -> None:
    start = time.perf_counter()
    with contextlib.suppress(AssetError):
        parse_xml(text, root="r")
    # Linear work is a few tenths of a second here; quadratic work would take minutes.
    assert time.perf_counter() - start < 10.0


@given(st.text(alphabet="<>/=\"'!-?[]& \nrab:\x00\ufeff", max_size=60))
def test_any_text_gives_an_element_or_an_asset_error(text: str) -> None:
    with contextlib.suppress(AssetError):
        assert parse_xml(text, root="r").tag == "r"


def test_names_are_of_letters_and_all_that_is_not_ascii() -> None:
    """Digits, dots and hyphens too, but not in front."""
    stated = re.compile(r"[A-Za-z_:\u0080-\U0010ffff][\w:.\-\u0080-\U0010ffff]*")
    own = re.compile(xml._NAME)
    for code in (*range(0x300), 0x4E2D, 0xFFFD, 0x1F600, 0x10FFFF):
        for text in (chr(code), f"a{chr(code)}"):
            assert bool(own.fullmatch(text)) == bool(stated.fullmatch(text)), hex(code)
