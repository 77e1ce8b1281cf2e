# SPDX-License-Identifier: MIT
"""Pictures of the command: an SVG that a notebook shows by itself."""
from __future__ import annotations

import os
import tempfile
from typing import List, Optional, Union

from .command import call


class Picture:
    """An SVG, drawn when it is first looked at. In a notebook the last expression of a cell shows it."""

    def __init__(self, words: List[str], records: Optional[str] = None) -> None:
        self._words = words
        self._records = records  # JSON of a sweep: it is drawn in place of a run
        self._svg: Optional[str] = None

    @property
    def svg(self) -> str:
        """The text of the SVG. LogpError: it cannot be drawn."""
        if self._svg is None:
            self._svg = self._draw("--format", "svg").decode("utf-8")
        return self._svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write it to a file; the suffix (.svg, and what the command offers: .png, .pdf) decides the format."""
        name = os.fspath(path)
        if name.endswith(".svg"):
            with open(name, "w", encoding="utf-8") as file:
                file.write(self.svg)
        else:
            self._draw("--output", name)

    def _draw(self, *more: str) -> bytes:
        if self._records is None:
            return call([*self._words, *more]).output
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "sweep.json")
            with open(name, "w", encoding="utf-8") as file:
                file.write(self._records)
            return call(["plot", name, *self._words, *more]).output

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "<picture: logp %s>" % " ".join(self._words if self._records is None else ["plot", *self._words])
