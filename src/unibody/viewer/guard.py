"""A viser server that only the holder of its address can talk to.

Viser itself answers whoever reaches its port. Here the server listens on loopback, the address it
prints carries a random token, and three rules hold for every request before viser sees it: the
first one must bring the token, which is then kept in a cookie; all others must bring the cookie;
and a socket must be opened from a page of this server. A page inside another one, as in a notebook,
gets no cookies from the browser: there the token is the first part of every path. A second socket
beside viser's carries the page's keys and mouse buttons.
"""

from __future__ import annotations

import dataclasses
import functools
import hmac
import http
import http.cookies
import json
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from unibody.viewer.page import page_with_inputs

COOKIE = "unibody_viewer"
INPUT_PATH = "/unibody/input"
INLINE_PATH = "/inline/"
_MAX_INPUT = 4096  # bytes of one message of the page
_FOREIGN = "this socket is for the viewer's own page"
_patch_lock = threading.Lock()

Input = dict[str, Any]


class Guard:
    """What a server lets in, and who hears of the page's keys and mouse.

    Attributes:
        token: What the address carries.
        on_input: Called with each message of a page, in the server's thread.
    """

    def __init__(self, host: str) -> None:
        self.token: str = secrets.token_urlsafe(18)
        self.on_input: Callable[[Input], None] = lambda _message: None
        self._host = host
        self._index: bytes | None = None

    def answer(self, connection: Any, request: Any, next_answer: Callable[[Any, Any], Any]) -> Any:
        """The answer to a request, or None to let a socket through."""
        address = urlsplit(request.path)
        socket = request.headers.get("Upgrade", "").lower() == "websocket"
        inline = self._inline(address.path)
        if inline is not None:
            if socket:
                return None if _same_origin(request.headers) else _refusal(_FOREIGN)
            if inline == "/":
                return _page(self._page())
            return next_answer(connection, dataclasses.replace(request, path=inline))
        if not socket and self._matches(parse_qs(address.query).get("token", [""])[0]):
            return self._welcome(request.headers)
        if not self._matches(_cookie(request.headers)):
            return _refusal("open the address with its token, as it was printed")
        if socket:
            if not _same_origin(request.headers):
                return _refusal(_FOREIGN)
            return None
        if address.path in {"", "/"}:
            return _page(self._page())
        return next_answer(connection, request)

    def _inline(self, path: str) -> str | None:
        """The rest of a path that begins with the token; None for any other."""
        if not path.startswith(INLINE_PATH):
            return None
        token, _, rest = path.removeprefix(INLINE_PATH).partition("/")
        return f"/{rest}" if self._matches(token) else None

    def _matches(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.token.encode())

    def _welcome(self, headers: Any) -> Any:
        """Keep the token in a cookie, and take it out of the address bar."""
        kept = f"{cookie_name(headers)}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        return _response(http.HTTPStatus.FOUND, b"", {"Location": "/", "Set-Cookie": kept})

    def _page(self) -> bytes:
        if self._index is None:
            import viser

            folder = Path(viser.__path__[0]) / "client" / "build"
            self._index = page_with_inputs((folder / "index.html").read_text("utf-8"), INPUT_PATH)
        return self._index

    async def serve_socket(self, connection: Any, next_handler: Callable[[Any], Any]) -> None:
        """Hear the page's keys and mouse, or hand a socket of viser's on."""
        if not urlsplit(connection.request.path).path.endswith(INPUT_PATH):
            await next_handler(connection)
            return
        page = secrets.token_hex(8)
        async for text in connection:
            if len(text) <= _MAX_INPUT:
                message = _decoded(text)
                if message is not None:
                    self.on_input({**message, "page": page})
        self.on_input({"type": "blur", "page": page})


def guarded_server(host: str, port: int, label: str) -> tuple[Any, Guard]:
    """Start a viser server behind a guard.

    Args:
        host: Address to listen on; loopback.
        port: First port to try; 0 lets the system choose.
        label: Title of the page.

    Returns:
        The ViserServer and its guard.
    """
    import viser
    import websockets.asyncio.server as sockets

    guard = Guard(host)
    _quieten()
    serve = sockets.serve

    def serve_guarded(handler: Any, *args: Any, process_request: Any, **options: Any) -> Any:
        async def guarded_handler(connection: Any) -> None:
            await guard.serve_socket(connection, handler)

        def guarded_request(connection: Any, request: Any) -> Any:
            return guard.answer(connection, request, process_request)

        return serve(guarded_handler, *args, process_request=guarded_request, **options)

    with _patch_lock:  # viser has no hook of its own here; it calls serve while it starts only
        sockets.serve = serve_guarded
        try:
            server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
        finally:
            sockets.serve = serve
    server.request_share_url = _refuse_to_share
    return server, guard


@functools.cache
def _quieten() -> None:
    """Keep viser's notes, its address without the token among them, out of the script's output."""
    import rich

    pass_on = rich.print

    def print_others(*objects: Any, **options: Any) -> None:
        first = objects[0] if objects else ""
        title = first if isinstance(first, str) else str(getattr(first, "title", ""))
        if not title.startswith(("[bold](viser)", "[bold]viser")):
            pass_on(*objects, **options)

    rich.print = print_others


def _refuse_to_share(verbose: bool = True) -> None:
    """The page's button for a public address does nothing: the viewer stays on this machine."""


def _same_origin(headers: Any) -> bool:
    """True if a socket is opened by a page that came from the same host and port."""
    origin = urlsplit(headers.get("Origin", ""))
    return bool(origin.netloc) and origin.netloc == headers.get("Host", "")


def cookie_name(headers: Any) -> str:
    """The name of the cookie of a server: browsers share cookies between the ports of a host.

    Args:
        headers: Of a request, whose ``Host`` says which port the browser sees.
    """
    port = headers.get("Host", "").rpartition(":")[2]
    return f"{COOKIE}_{port if port.isascii() and port.isdecimal() else 80}"


def _cookie(headers: Any) -> str:
    try:
        morsel = http.cookies.SimpleCookie(headers.get("Cookie", "")).get(cookie_name(headers))
    except http.cookies.CookieError:
        return ""
    return morsel.value if morsel else ""


def _decoded(text: Any) -> Input | None:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _refusal(reason: str) -> Any:
    return _response(http.HTTPStatus.FORBIDDEN, f"unibody viewer: {reason}\n".encode(), {})


def _page(body: bytes) -> Any:
    return _response(http.HTTPStatus.OK, body, {"Content-Type": "text/html; charset=utf-8"})


def _response(status: http.HTTPStatus, body: bytes, headers: dict[str, str]) -> Any:
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    fields = {"Content-Length": str(len(body)), "Cache-Control": "no-store", **headers}
    return Response(status.value, status.phrase, Headers(**fields), body)
