"""The page: viser's own, and scripts that send keys and mouse buttons and keep colours true."""

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


# Colours are shown as they are written: the library would compress and fade them like film does.
# A browser without a graphics card leaves out the smoothing of edges, a third of its work.
# It also says that it has none; that goes away by itself, as it lies over what people came to see.
# Phones have the panel along their lower edge, as wide as they are.
_LOOK: Final = """
<style>
@keyframes unibody-away { to { opacity: 0; visibility: hidden; } }
#webgl-software-rendering { animation: unibody-away 1s 5s forwards; }
.mantine-Paper-root[style*="max-height: 60%"] {
  width: 100% !important;
  max-height: 45% !important;
}
.mantine-Paper-root[style*="max-height: 60%"] div[style*="width: 20em"] { width: 100% !important; }
</style>
<script>
(() => {
  // In a narrow window the panel lies below, over half of the scene: it begins folded.
  const HEADER = '.mantine-Paper-root[style*="max-height: 60%"] div[style*="cursor: pointer"]';
  const looking = setInterval(() => {
    const header = document.querySelector(HEADER);
    if (header) {
      clearInterval(looking);
      header.click();
    }
  }, 100);
  setTimeout(() => clearInterval(looking), 20000);
  // A page that plays again goes back to these until its first messages are handled.
  const LIT_BY_ITSELF =
    /enableDefaultLights:!0,enableDefaultLightsShadows:!0,environmentMap:null/;
  const UNLIT =
    "enableDefaultLights:!1,enableDefaultLightsShadows:!1,environmentMap:{" +
    "type:`EnvironmentMapMessage`,hdri_data:null,background:!1,background_blurriness:0," +
    "background_intensity:1,background_wxyz:[1,0,0,0],environment_intensity:1," +
    "environment_wxyz:[1,0,0,0]}";
  const getContext = HTMLCanvasElement.prototype.getContext;
  let software = null;
  const drawsInSoftware = () => {
    if (software === null) {
      const probe = getContext.call(document.createElement("canvas"), "webgl");
      const names = probe && probe.getExtension("WEBGL_debug_renderer_info");
      const name = names ? probe.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
      software = /swiftshader|llvmpipe|softpipe|software/i.test(name);
    }
    return software;
  };
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    if (options && options.antialias && drawsInSoftware()) {
      options = { ...options, antialias: false };
    }
    return getContext.call(this, kind, options);
  };
  const shaderSource = WebGL2RenderingContext.prototype.shaderSource;
  WebGL2RenderingContext.prototype.shaderSource = function (shader, text) {
    const plain = text.replace(/return ACESFilmicToneMapping\\(\\s*color\\s*\\)/, "return color");
    return shaderSource.call(this, shader, plain);
  };
  const decode = TextDecoder.prototype.decode;
  TextDecoder.prototype.decode = function (...given) {
    const text = decode.apply(this, given);
    const found = text.length > 100000 && LIT_BY_ITSELF.exec(text);
    if (!found) {
      return text;
    }
    TextDecoder.prototype.decode = decode;
    return text.replace(found[0], UNLIT);
  };
})();
</script>
"""


def with_true_colors(page: str) -> str:
    """A page of viser's with colours as they are written; its scripts run after this."""
    head, mark, rest = page.partition("<head>")
    return head + mark + _LOOK + rest


def page_with_inputs(index: str, input_path: str) -> bytes:
    """Viser's page with the scripts in its head.

    Args:
        index: The page, HTML.
        input_path: Path of the socket that takes the messages.
    """
    head, mark, rest = with_true_colors(index).partition("</head>")
    return (head + _SCRIPT.replace("INPUT_PATH", input_path) + mark + rest).encode()
