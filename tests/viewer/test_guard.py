"""Who may talk to the viewer: the holder of the address, from the viewer's own page."""

from __future__ import annotations

import http.client
import json
import time

import pytest

pytest.importorskip("viser")

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from unibody.viewer.guard import COOKIE, INLINE_PATH, INPUT_PATH, guarded_server
from unibody.viewer.inputs import Inputs


@pytest.fixture(scope="module")
def served():
    server, guard = guarded_server("127.0.0.1", 0, "test")
    inputs = Inputs()
    guard.on_input = inputs.take
    yield server.get_port(), guard, inputs
    server.stop()


def get(port, path, cookie=""):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    response = connection.getresponse()
    return response, response.read()


def wait_for(condition):
    """Give the server's thread a moment."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    "path",
    ["/", "/?token=wrong", "/assets/index.js", "/?token=", "/inline/wrong/", "/inline/", "/inline"],
)
def test_a_request_without_the_token_is_refused(served, path):
    response, body = get(served[0], path)
    assert response.status == 403
    assert b"token" in body


def test_the_token_is_kept_in_a_cookie_that_scripts_cannot_read(served):
    port, guard, _ = served
    response, _ = get(port, f"/?token={guard.token}")
    assert response.status == 302
    cookie = response.getheader("Set-Cookie")
    assert guard.token in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_the_page_comes_with_the_cookie_and_carries_the_script(served):
    port, guard, _ = served
    response, body = get(port, "/", f"{COOKIE}_{port}={guard.token}")
    assert response.status == 200
    assert INPUT_PATH.encode() in body


def test_the_cookies_of_two_viewers_on_one_host_do_not_replace_each_other():
    """A browser keeps one value for each name and host, whatever the port."""
    servers = [guarded_server("127.0.0.1", 0, "test") for _ in range(2)]
    try:
        kept: dict[str, str] = {}
        for server, guard in servers:
            response, _ = get(server.get_port(), f"/?token={guard.token}")
            name, _, value = response.getheader("Set-Cookie").partition(";")[0].partition("=")
            kept[name] = value
        header = "; ".join(f"{name}={value}" for name, value in kept.items())
        assert [get(server.get_port(), "/", header)[0].status for server, _ in servers] == [200] * 2
    finally:
        for server, _ in servers:
            server.stop()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_socket_from_another_origin_is_refused(served, origin):
    port, guard, _ = served
    headers = {"Cookie": f"{COOKIE}_{port}={guard.token}", "Origin": origin}
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://127.0.0.1:{port}{INPUT_PATH}", additional_headers=headers)


def test_a_socket_without_the_cookie_is_refused(served):
    port = served[0]
    headers = {"Origin": f"http://127.0.0.1:{port}"}
    for path in ("/", INPUT_PATH):
        with pytest.raises(InvalidStatus, match="403"):
            connect(f"ws://127.0.0.1:{port}{path}", additional_headers=headers)


def test_keys_arrive_and_nonsense_is_left_out(served):
    port, guard, inputs = served
    headers = {"Cookie": f"{COOKIE}_{port}={guard.token}", "Origin": f"http://127.0.0.1:{port}"}
    with connect(f"ws://127.0.0.1:{port}{INPUT_PATH}", additional_headers=headers) as socket:
        for nonsense in ("", "[]", "{", '{"type": 3}', '{"type": "keydown"}', "9" * 5000):
            socket.send(nonsense)
        socket.send(json.dumps({"type": "keydown", "key": "a"}))
        found = {}
        assert wait_for(lambda: found.update(inputs.keys()) or found)
        assert found["a"].down
        assert found["a"].pressed
        assert set(found) == {"a"}
    # the page is gone: its keys are let go
    assert wait_for(lambda: any(state.released for state in inputs.keys().values()))


def test_inside_another_page_the_token_is_in_the_path_and_no_cookie_is_needed(served):
    port, guard, inputs = served
    base = f"{INLINE_PATH}{guard.token}"
    response, body = get(port, f"{base}/")
    assert response.status == 200
    assert response.getheader("Set-Cookie") is None
    assert b"addEventListener" in body
    assert get(port, f"{base}/nothing.png")[0].status == 404
    with connect(
        f"ws://127.0.0.1:{port}{base}{INPUT_PATH}", origin=f"http://127.0.0.1:{port}"
    ) as s:
        s.send(json.dumps({"type": "keydown", "key": "i"}))
        assert wait_for(lambda: "i" in dict(inputs.keys()))


@pytest.mark.parametrize("origin", ["http://evil.example", None])
def test_a_socket_of_another_page_is_refused_though_it_knows_the_path(served, origin):
    port, guard, _ = served
    address = f"ws://127.0.0.1:{port}{INLINE_PATH}{guard.token}"
    with pytest.raises(InvalidStatus, match="403"), connect(address, origin=origin):
        pass
