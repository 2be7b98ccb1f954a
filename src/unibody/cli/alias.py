"""`unibody alias`: the originals' names in an environment, for programs that import them.

What is written belongs to one distribution an original: a folder with a shim for each module, stubs
for editors, and the record that tells pip (and `importlib.metadata`) what it is called and which
files it has.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import importlib.metadata
import importlib.util
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unibody import extras
from unibody.cli.alias_stubs import isaac_stubs, stubs
from unibody.cli.aliases import ALIASES, FALLBACKS, PACKAGES
from unibody.command_parser import Parser
from unibody.isaac_core.names import FAMILIES

_INSTALLER = "unibody alias"
_HOOK = "unibody_alias.pth"
_HOOK_TEXT = (
    "import contextlib; exec('with contextlib.suppress(ImportError):\\n"
    " from unibody.cli import aliases; aliases.install()')\n"
)
_SHIM = '''"""{name} means unibody here, until `unibody alias remove`."""

import importlib
import sys

from unibody.cli.aliases import imported

sys.modules[__name__] = importlib.import_module("{target}")
imported("{name}")
'''
_METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: The name of {name}, in this environment an alias of unibody
Requires-Dist: unibody
"""
_ABOUT = """\
install  makes the originals' names (pybullet, pybullet_data, pybullet_utils, ...) importable in
         this environment, with unibody behind them, and tells pip that they are installed.
remove   takes all of it away again.
"""


@dataclass(frozen=True)
class Original:
    """A package whose place unibody takes.

    Attributes:
        name: Of the distribution.
        version: The one whose API unibody speaks.
        modules: Its modules; those unibody has no alias for are left out.
    """

    name: str
    version: str
    modules: tuple[str, ...]


ORIGINALS = (
    Original("pybullet", "3.2.7", ("pybullet", "pybullet_data", "pybullet_utils")),
    Original("pybullet-fleet", "0.8.0", ("pybullet_fleet",)),
    Original("isaacgym", "1.0rc4", ("isaacgym",)),
    Original("newton", "0.2.0", ("newton",)),
)
ISAAC = Original("isaacsim-stubs", "4.5.0", FAMILIES)
"""Modules that editors are told of; programs have them by `unibody run`."""


class AliasError(Exception):
    """The names cannot be installed; the message is for the user."""


def main(argv: Sequence[str]) -> int:
    """Install or remove the names.

    Args:
        argv: The arguments behind `alias`.

    Returns:
        The exit status of the process.
    """
    parser = Parser(
        prog="unibody alias", description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("action", choices=["install", "remove"])
    parser.add_argument(
        "--force", action="store_true",
        help="also where an original is installed: it stays, and imports go past it",
    )  # fmt: skip
    parser.add_argument(
        "--into", type=Path, metavar="FOLDER", default=Path(sysconfig.get_paths()["purelib"]),
        help="folder of packages (default: the one of this environment)",
    )  # fmt: skip
    arguments = parser.parse_args(argv)
    try:
        if arguments.action == "remove":
            lines = remove(arguments.into)
        else:
            lines = install(arguments.into, force=arguments.force)
    except (AliasError, OSError) as problem:
        print(f"unibody alias: {problem}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


def install(folder: Path, *, force: bool = False) -> list[str]:
    """Make the names importable from a folder of packages.

    Args:
        folder: The folder.
        force: Where an original is installed, put a hook in front of it that is active from the
            start of every interpreter; without it, that is an error.

    Returns:
        What was done, for the user.

    Raises:
        AliasError: An original is installed, and no ``force``.
        OSError: The folder cannot be written to.
    """
    remove(folder)
    there = [original for original in ORIGINALS if _is_installed(original, folder)]
    if there and not force:
        names = " and ".join(original.name for original in there)
        raise AliasError(
            f"{names}: the original is installed in {folder}. Uninstall it (pip uninstall "
            f"{' '.join(original.name for original in there)}), or let imports go past it with "
            "--force, or use `unibody run`, which needs no installation"
        )
    done: list[str] = []
    finished = False
    try:
        if there:
            (folder / _HOOK).write_text(_HOOK_TEXT, encoding="utf-8")
            done += [f"{original.name} means unibody; the original stays" for original in there]
        for original in ORIGINALS:
            modules = {name: target for name in original.modules if (target := _target(name))}
            if modules and original not in there:
                done.append(_installed(original, modules, folder))
        if not _has_isaac(folder):
            _write_files(ISAAC, isaac_stubs(), folder)
            done.append(f"{ISAAC.name} {ISAAC.version}: for editors")
        finished = True
    finally:
        if not finished:
            remove(folder)
    return done


def _installed(original: Original, modules: dict[str, str], folder: Path) -> str:
    """Write what belongs to one original; what was done, or what is missing for it."""
    try:
        _write(original, modules, folder)
    except ModuleNotFoundError as missing:
        advice = extras.advice(missing.name)
        if advice is None:
            raise
        return f"{original.name} is left out: {advice}"
    return f"{original.name} {original.version}: {', '.join(modules)}"


def remove(folder: Path) -> list[str]:
    """Take away what `install` wrote, and nothing else.

    Returns:
        What was done, for the user.
    """
    done: list[str] = []
    for info in sorted(folder.glob("*.dist-info")):
        if _installer(info) != _INSTALLER:
            continue
        for line in (info / "RECORD").read_text("utf-8").splitlines():
            path = folder / line.split(",")[0]
            if path.resolve().is_relative_to(folder.resolve()):
                path.unlink(missing_ok=True)
                shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
                _remove_empty(path.parent, folder)
        done.append(f"{info.name.partition('-')[0]} is removed")
    if (folder / _HOOK).is_file():
        (folder / _HOOK).unlink()
        done.append("the import hook is removed")
    return done or ["there was nothing to remove"]


def _remove_empty(inner: Path, folder: Path) -> None:
    """Take away a folder, and those around it in another, as far as nothing is in them."""
    with contextlib.suppress(OSError):  # something else is in it
        while inner != folder:
            inner.rmdir()
            inner = inner.parent


def _target(module: str) -> str | None:
    """The module of ours that a name means, if this version has it."""
    target = ALIASES.get(module) or PACKAGES.get(module) or FALLBACKS.get(module)
    return target if target and importlib.util.find_spec(target) else None


def _is_installed(original: Original, folder: Path) -> bool:
    """Whether the original itself is in a folder."""
    for found in importlib.metadata.distributions(path=[str(folder)]):
        if (found.metadata["Name"] or "").lower().replace("_", "-") == original.name:
            return True
    return any(
        path.is_dir() or path.suffix in {".py", ".so", ".pyd"}
        for module in original.modules
        if _target(module)
        for path in (folder / module, *folder.glob(f"{module}.*"))
        if path.exists()
    )


def _has_isaac(folder: Path) -> bool:
    """Whether Isaac Sim or its stubs are in a folder."""
    return any(
        (folder / f"{name}{end}").exists() for name in ISAAC.modules for end in ("", "-stubs")
    )


def _installer(info: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return (info / "INSTALLER").read_text("utf-8").strip()
    return ""


def _write(original: Original, modules: dict[str, str], folder: Path) -> None:
    files = {
        f"{module}/__init__.py": _SHIM.format(name=module, target=target)
        for module, target in modules.items()
    }
    for module in modules:
        files |= stubs(module)
    _write_files(original, files, folder)


def _write_files(original: Original, files: dict[str, str], folder: Path) -> None:
    info = f"{original.name.replace('-', '_')}-{original.version}.dist-info"
    files[f"{info}/METADATA"] = _METADATA.format(name=original.name, version=original.version)
    files[f"{info}/INSTALLER"] = f"{_INSTALLER}\n"
    record = f"{info}/RECORD"
    files = {record: "\n".join([*_records(files), f"{record},,", ""]), **files}
    for path, text in files.items():  # the record first: what is in it can be taken away again
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="\n")


def _records(files: dict[str, str]) -> Iterator[str]:
    for path, text in files.items():
        content = text.encode()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
        yield f"{path},sha256={digest.decode()},{len(content)}"
