"""The page: viser's own, and a script that sends keys and mouse buttons."""

from __future__ import annotations

from typing import Final

_SCRIPT: Final = """
<script>
(() => {
  const base = (location.origin + location.pathname).replace(/\\/$/, "");
  const url = base.replace(/^http/, "ws") + "INPUT_PATH";
  let socket = null;
  const open = () => {
    socket = new WebSocket(url);
    socket.onclose = () => setTimeout(open, 1000);
  };
  open();
  const send = (message) => {
    if (socket && socket.readyState === 1) socket.send(JSON.stringify(message));
  };
  const typing = (event) => /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName || "");
  const key = (type) => (event) => {
    if (typing(event) || event.repeat) return;
    send({ type, key: event.key, code: event.code });
  };
  addEventListener("keydown", key("keydown"), true);
  addEventListener("keyup", key("keyup"), true);
  addEventListener("blur", () => send({ type: "blur" }));
  const place = (event) => [event.clientX, event.clientY, innerWidth, innerHeight];
  const button = (type) => (event) => {
    if (event.target.tagName === "CANVAS") send({ type, button: event.button, at: place(event) });
  };
  addEventListener("pointerdown", button("mousedown"), true);
  addEventListener("pointerup", button("mouseup"), true);
  let last = 0;
  addEventListener("pointermove", (event) => {
    const now = performance.now();
    if (event.target.tagName !== "CANVAS" || now - last < 15) return;
    last = now;
    send({ type: "mousemove", at: place(event) });
  }, true);
  addEventListener("wheel", (event) => {
    if (event.target.tagName !== "CANVAS") return;
    const notch = event.deltaMode === 0 ? 100 : 3;  // pixels or lines
    send({ type: "mousewheel", turn: event.deltaY / notch, at: place(event) });
  }, { capture: true, passive: true });
})();
</script>
"""


def page_with_inputs(index: str, input_path: str) -> bytes:
    """Viser's page with the script in its head.

    Args:
        index: The page, HTML.
        input_path: Path of the socket that takes the messages.
    """
    head, mark, rest = index.partition("</head>")
    return (head + _SCRIPT.replace("INPUT_PATH", input_path) + mark + rest).encode()
