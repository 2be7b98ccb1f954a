"""What numba calls the library of a function, for functions that are linked, then compiled.

See ``linking``, which imports this where something is compiled.
"""

from __future__ import annotations

import importlib
from typing import Any

_codegen: Any = importlib.import_module("numba.core.codegen")  # without stubs
_EXTERNAL: Any = importlib.import_module("llvmlite.binding").Linkage.external

_OF_LIBRARIES = (
    "_codegen", "_dynamic_globals", "_ensure_finalized", "_final_module",
    "_finalize_dynamic_globals", "_finalized", "_get_module_for_linking", "_linking_libraries",
    "_optimize_final_module", "_raise_if_finalized", "_reload_init", "_verify_declare_only_symbols",
    "add_linking_library", "enable_object_caching", "get_pointer_to_function",
    "serialize_using_object_code",
)  # fmt: skip
_OF_CODEGENS = ("_check_llvm_bugs", "_engine", "_tm", "create_library", "unserialize_library")


class InnerLibrary(_codegen.JITCodeLibrary):
    """A function that others are linked with, without machine code of its own."""

    _part: Any = None
    _merged: Any = None
    _usual: Any = None

    def finalize(self) -> None:
        """Nothing can be added any more; linking is left to what calls it."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        for library in self.below():
            self._reload_init.update(library._reload_init)
        self._finalized = True

    def below(self) -> list[Any]:
        """All libraries that it needs, each before those that it needs itself.

        LLVM leaves out what nothing refers to that was linked before.
        """
        seen: set[Any] = {self}
        found: list[Any] = []

        def visit(library: Any) -> None:
            for other in library._linking_libraries if isinstance(library, InnerLibrary) else ():
                if other not in seen:
                    seen.add(other)
                    visit(other)
                    found.append(other)

        visit(self)
        return found[::-1]

    @property
    def has_dynamic_globals(self) -> bool:
        """Whether it names addresses of this process."""
        self._ensure_finalized()
        return any(len(library._dynamic_globals) > 0 for library in (self, *self.below()))

    def part(self) -> Any:
        """The functions of its own, as they are linked into others."""
        if self._part is None:
            self._part = self._final_module.clone()
            for fn in self._part.functions:
                if not fn.is_declaration and fn.linkage == _EXTERNAL:
                    fn.linkage = "linkonce_odr"
        return self._part

    def add_all_below(self, module: Any) -> None:
        """Link all that it needs into a module."""
        for library in self.below():
            inner = isinstance(library, InnerLibrary)
            part = library.part() if inner else library._get_module_for_linking()
            module.link_in(part, preserve=True)

    def _get_module_for_linking(self) -> Any:
        """For functions that are compiled as usual."""
        self._ensure_finalized()
        if self._merged is None:
            self._merged = self.part().clone()
            self.add_all_below(self._merged)
        return self._merged

    def get_pointer_to_function(self, name: str) -> int:
        """Where numba wants machine code: of the functions that Python calls."""
        self._ensure_finalized()
        defined = (fn.name for fn in self._final_module.functions if not fn.is_declaration)
        return self._as_usual().get_pointer_to_function(name) if name in defined else 0

    def serialize_using_object_code(self) -> Any:
        """For numba's cache, of functions that Python calls."""
        return self._as_usual().serialize_using_object_code()

    def _as_usual(self) -> Any:
        if self._usual is None:
            self._usual = self._codegen.usual.create_library(self.name)
            self._usual.enable_object_caching()
            self._usual._final_module.link_in(self._final_module, preserve=True)
            for library in self._linking_libraries:
                self._usual.add_linking_library(library)
            self._usual.finalize()
        return self._usual


class EntryLibrary(InnerLibrary):
    """An entry, with all that it calls."""

    def link(self) -> None:
        """Make one module of all, and optimise it."""
        self.finalize()
        self._codegen._check_llvm_bugs()
        self.add_all_below(self._final_module)
        self._optimize_final_module()
        self._final_module.verify()
        self._verify_declare_only_symbols()

    def undefined_symbols(self) -> list[str]:
        """What has to be there when it is loaded."""
        module = self._final_module
        values = (*module.functions, *module.global_variables)
        names = [value.name for value in values if value.is_declaration]
        return [name for name in names if not name.startswith("llvm.")]


class EntryCodegen(_codegen.JITCPUCodegen):
    """What makes the libraries of functions while an entry is compiled."""

    _library_class = InnerLibrary

    def __init__(self, usual: Any) -> None:
        super().__init__("unibody.entries")
        self.usual = usual

    def check(self) -> None:
        """See to it that all is there: what fails while numba compiles, it remembers as an error.

        Raises:
            AttributeError: Something is not.
        """
        usual = self.usual.create_library("unibody.check")
        for owner, names in ((usual, _OF_LIBRARIES), (self, _OF_CODEGENS)):
            for name in names:
                getattr(owner, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """What has machine code has an environment."""
        if self.usual._engine.is_symbol_defined(env_name):
            self.usual.set_env(env_name, env)

    def unserialize_library(self, serialized: Any) -> Any:
        """What comes from numba's cache has machine code already."""
        return self.usual.unserialize_library(serialized)
