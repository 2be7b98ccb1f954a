"""Show a Kuka arm at work, with nothing installed beforehand but Python and pip.

Makes a small environment of its own (no torch, no PyBullet), runs a PyBullet script in it, and
opens the page in the browser where there is a display; else it writes a page that plays by itself,
and says where. Every wait says what it is for. Only the standard library is used here.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SCRIPT = Path("examples") / "bullet" / "kuka_table.py"
ENVIRONMENT = ".venv-demo"
RECORDING = "demo.html"
PAGE_LIBRARY = "viser>=1.0"  # of the extra "viewer", without what writes videos
_OLDEST = (3, 11)
_TOLD = re.compile(r"\s*(Downloading \S+ \(.*\)|Building wheel.*|Installing collected packages)")
_begin = time.monotonic()


def main(arguments: list[str]) -> int:
    """Install, run, show; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", type=Path, default=CHECKOUT / ENVIRONMENT)
    parser.add_argument("--record", action="store_true", help="write a page, also with a display")
    options = parser.parse_args(arguments)
    if sys.version_info < _OLDEST:
        say("unibody needs Python 3.11 or newer: make demo PYTHON=python3.12")
        return 1
    try:
        prepare(options.environment)
        return show(options.environment, opens_page=has_display() and not options.record)
    except subprocess.CalledProcessError as problem:
        say(f"this failed: {' '.join(map(str, problem.cmd))}")
        return 1
    except KeyboardInterrupt:
        return 130


def say(text: str) -> None:
    """Print a line with the seconds since the start."""
    print(f"[{time.monotonic() - _begin:3.0f} s] {text}", flush=True)


def has_display() -> bool:
    """Whether a browser can open here."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def prepare(environment: Path) -> None:
    """Make the environment, unless it is complete and newer than the list of dependencies."""
    stamp, wanted = environment / ".installed", CHECKOUT / "pyproject.toml"
    if stamp.exists() and stamp.stat().st_mtime >= wanted.stat().st_mtime:
        return
    say(f"an environment of its own: {environment}")
    if not python_of(environment).exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    say("packages (about 150 MB to download where pip does not have them yet, 500 MB on the disk)")
    command = [
        *(sys.executable, "-m", "pip", "--python", python_of(environment), "install"),
        *("--disable-pip-version-check", "--no-compile", "--progress-bar", "off"),
        *("-e", CHECKOUT, PAGE_LIBRARY),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        output = follow(pip.stdout or ())
    if pip.returncode:
        print(output, file=sys.stderr)
        raise subprocess.CalledProcessError(pip.returncode, command[:5])
    stamp.touch()


def follow(lines: Iterable[str]) -> str:
    """Tell of the downloads and installations in what pip prints; returns all of it."""
    kept: list[str] = []
    for line in lines:
        kept.append(line)
        told = _TOLD.match(line)
        if told:
            say(told.group(1))
    return "".join(kept)


def python_of(environment: Path) -> Path:
    """The interpreter of an environment."""
    folder = "Scripts" if sys.platform == "win32" else "bin"
    return environment / folder / ("python.exe" if sys.platform == "win32" else "python")


def show(environment: Path, *, opens_page: bool) -> int:
    """Run the scene: on a page in the browser, or into a recording."""
    command: list[str | Path] = [python_of(environment), "-m", "unibody", "run"]
    variables = dict(os.environ)
    if opens_page:
        say("the scene opens in the browser and goes on for a minute; Ctrl-C ends it")
        variables["UNIBODY_VIEWER"] = "browser"
        command += [CHECKOUT / SCRIPT, "--gui"]
    else:
        say("there is no display here: the scene, 8 s of it, is recorded as a page")
        command += ["--record", CHECKOUT / RECORDING, CHECKOUT / SCRIPT]
    status = subprocess.run(command, env=variables, check=False).returncode
    if status == 0 and not opens_page:
        place = CHECKOUT / RECORDING
        size = place.stat().st_size / 1e6
        say(f"open {place} ({size:.1f} MB) in any browser: it plays without a server")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
