"""A small XML reader that accepts what robot files in the wild contain and nothing dangerous.

Robot files are written for TinyXML, whose grammar is wider than XML: text and declarations in
front of the root, ``--`` in comments, undeclared namespaces, a bare ``&`` or ``<`` in a value.
This scanner takes the same grammar. It knows no entity beyond XML's five and character numbers,
skips document types unread and opens no file, so there is no entity to expand and nothing to
fetch. Depth, element count and size are bounded by ``Limits``.
"""

from __future__ import annotations

import os
import re
from xml.etree import ElementTree

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.errors import AssetError

# Letters, "_", ":" and all that is not ASCII; then digits, "." and "-" too. Said by what is not in
# them, which Python compiles in a twentieth of the time.
_NAME = r"[^\x00-9;-@\[-\^`{-\x7f][^\x00-,/;-@\[-\^`{-\x7f]*"
_OPEN = re.compile(rf"<\s*({_NAME})")
_CLOSE = re.compile(rf"</({_NAME})\s*>")
_ATTRIBUTE = re.compile(rf"\s*({_NAME})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_TAG_END = re.compile(r"\s*(/?)>")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

# Opening and closing mark of everything that is skipped; CDATA is text and handled apart.
_SKIPPED = (("<!--", "-->"), ("<?", "?>"), ("<!", ">"))
_CDATA = "<![CDATA["


class Element(ElementTree.Element):
    """An element of the standard library's tree that also knows its line in the file.

    ``text`` is what stands in front of the first child; ``tail`` is never set.
    """

    line: int = 0


def read_xml(
    file: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS, *, root: str
) -> Element:
    """Reads a file and returns its first top-level element named ``root``.

    Args:
        file: Path of the file.
        limits: Bounds on size, depth and element count.
        root: Tag of the element wanted; other top-level elements are skipped.

    Returns:
        The element; every element below it is an ``Element`` too.

    Raises:
        AssetError: The file cannot be read, is too large, malformed or has no such element.
    """
    return parse_xml(read_text(file, limits), limits, file=file, root=root)


def read_text(file: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> str:
    """Reads a text file as UTF-8, or as Latin-1 where it is not valid UTF-8.

    Raises:
        AssetError: The file cannot be opened or is larger than ``limits.file_bytes``.
    """
    data = read_regular(file, limits.file_bytes)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse_xml(
    text: str,
    limits: Limits = DEFAULT_LIMITS,
    *,
    file: str | os.PathLike[str] = "<text>",
    root: str,
) -> Element:
    """Parses a document and returns its first top-level element named ``root``.

    What follows that element is not looked at.

    Args:
        text: The document.
        limits: Bounds on size, depth and element count.
        file: Name used in error messages.
        root: Tag of the element wanted; other top-level elements are skipped.

    Raises:
        AssetError: Too large, malformed (the message has the line) or no such element.
    """
    if len(text) > limits.file_bytes:
        raise AssetError(file, "", f"larger than the limit of {limits.file_bytes} characters")
    return _Scanner(text.removeprefix("\ufeff"), limits, file, root).run()


class _Scanner:
    """One pass over a document, with the stack of open elements."""

    def __init__(self, text: str, limits: Limits, file: str | os.PathLike[str], root: str) -> None:
        self.text = text
        self.limits = limits
        self.file = file
        self.root = root
        self.position = 0
        self.stack: list[Element] = []
        self.pieces: list[list[str]] = []  # text in front of the first child, of each open element
        self.count = 0
        self.line = 1
        self.line_position = 0
        self.found: Element | None = None
        self.top_level: list[str] = []

    def run(self) -> Element:
        """Scans until the wanted element is complete."""
        text = self.text
        while self.found is None:
            start = text.find("<", self.position)
            if start < 0:
                raise self._missing_end()
            self._append_text(text[self.position : start])
            self.position = start
            if text.startswith(_CDATA, start):
                begin = start + len(_CDATA)
                self._append_text(text[begin : self._skip_to("]]>", begin)], raw=True)
            elif not self._skip_markup():
                self._element()
        return self.found

    def _skip_markup(self) -> bool:
        for opening, closing in _SKIPPED:
            if self.text.startswith(opening, self.position):
                self._skip_to(closing, self.position + len(opening))
                return True
        return False

    def _skip_to(self, closing: str, begin: int) -> int:
        """Moves behind ``closing`` and returns where it begins."""
        end = self.text.find(closing, begin)
        if end < 0:
            raise self._error(f"not closed by {closing!r}")
        self.position = end + len(closing)
        return end

    def _element(self) -> None:
        match = _CLOSE.match(self.text, self.position)
        if match:
            self.position = match.end()
            self._close(match[1])
            return
        match = _OPEN.match(self.text, self.position)
        if not match:
            excerpt = self.text[self.position : self.position + 20]
            raise self._error(f"{excerpt!r} is not the start of an element")
        element = Element(match[1])
        element.line = self._line()
        self.position = match.end()
        self._attributes(element)
        end = _TAG_END.match(self.text, self.position)
        if not end:
            excerpt = self.text[self.position : self.position + 20].strip()
            raise self._error(f"<{element.tag}> goes on with {excerpt!r}, not an attribute or '>'")
        self.position = end.end()
        self._open(element)
        if end[1]:
            self._close(element.tag)

    def _attributes(self, element: Element) -> None:
        attributes = element.attrib
        while match := _ATTRIBUTE.match(self.text, self.position):
            name, double, single = match.groups()
            if name in attributes:
                raise self._error(f"<{element.tag}> has the attribute {name!r} twice")
            attributes[name] = _decode(single if double is None else double)
            self.position = match.end()

    def _open(self, element: Element) -> None:
        self.count += 1
        if self.count > self.limits.xml_elements:
            raise self._error(f"more than {self.limits.xml_elements} elements")
        if len(self.stack) >= self.limits.xml_depth:
            raise self._error(f"elements nested deeper than {self.limits.xml_depth}")
        if self.stack:
            self.stack[-1].append(element)
        else:
            self.top_level.append(element.tag)
        self.stack.append(element)
        self.pieces.append([])

    def _close(self, tag: str) -> None:
        if not self.stack:  # TinyXML passes over an end tag without a start at the top level
            return
        element = self.stack.pop()
        element.text = "".join(self.pieces.pop()) or None
        if element.tag != tag:
            raise self._error(f"</{tag}> closes <{element.tag}> of line {element.line}")
        if not self.stack and tag == self.root:
            self.found = element

    def _append_text(self, text: str, *, raw: bool = False) -> None:
        if self.stack and text and not len(self.stack[-1]):
            self.pieces[-1].append(text if raw else _decode(text))

    def _line(self) -> int:
        self.line += self.text.count("\n", self.line_position, self.position)
        self.line_position = self.position
        return self.line

    def _error(self, problem: str) -> AssetError:
        return AssetError(self.file, f"line {self._line()}", f"malformed XML: {problem}")

    def _missing_end(self) -> AssetError:
        self.position = len(self.text)
        if self.stack:
            element = self.stack[-1]
            return self._error(f"<{element.tag}> of line {element.line} is not closed")
        found = ", ".join(f"<{tag}>" for tag in self.top_level[:5]) or "no element"
        return AssetError(self.file, "", f"expected a <{self.root}> element, found {found}")


def _decode(text: str) -> str:
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    valid = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if valid else match[0]
