# SPDX-License-Identifier: MIT
"""Records of the command: mappings whose fields are attributes, and lists of them that become tables."""
from __future__ import annotations

import csv
import html
import json
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, TYPE_CHECKING, Union

if TYPE_CHECKING:
    import pandas

# Fields that a short table begins with, where they differ or are there.
_FIRST = ("collective", "algorithm", "P", "bytes", "count", "L_ns", "o_send_ns", "g_ns", "predicted_ns", "bound_ratio", "ratio",
          "verified", "name", "summary")
_SHORT_COLUMNS = 10


class Record(Mapping[str, Any]):
    """An object of the command's JSON. A field is `record["P"]` or `record.P`; an empty field is None."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields: Dict[str, Any] = {key: _wrap(value) for key, value in fields.items()}

    def __getitem__(self, key: str) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError("no field '%s'; there are: %s" % (name, ", ".join(self._fields))) from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        shown = ", ".join("%s=%r" % (key, value) for key, value in self._fields.items() if value is not None)
        return "%s(%s)" % (type(self).__name__, shown if len(shown) <= 400 else shown[:400] + " ...")

    def plain(self) -> Dict[str, Any]:
        """The same as dictionaries and lists."""
        return {key: _unwrap(value) for key, value in self._fields.items()}

    def flat(self) -> Dict[str, Any]:
        """One level: `measured_ns.min` is `measured_min_ns`, as the columns of CSV are called. Lists stay lists."""
        row: Dict[str, Any] = {}
        _flatten("", self._fields, row)
        return row


class Records(List[Record]):
    """Records in the order in which the command writes them."""

    def frame(self) -> "pandas.DataFrame":
        """A pandas DataFrame with the columns of the command's CSV. ImportError: pandas is not installed."""
        import pandas

        columns: Dict[str, None] = {}
        # An object that is empty in one record has its columns from the others.
        objects = {key for record in self for key, value in record.items() if isinstance(value, Record)}
        rows = [record.flat() for record in self]
        for row in rows:
            columns.update((key, None) for key in row if key not in objects)
        return pandas.DataFrame(rows, columns=list(columns))

    def best(self) -> Record:
        """The record with the least predicted time. ValueError: none has a prediction."""
        return min((record for record in self if record.get("predicted_ns") is not None), key=lambda record: float(record.predicted_ns))

    def where(self, **fields: Any) -> "Records":
        """The records that have these values: `records.where(P=8, algorithm="flat")`."""
        return Records(record for record in self if all(record.get(key) == value for key, value in fields.items()))

    def plain(self) -> List[Dict[str, Any]]:
        """The same as dictionaries and lists."""
        return [record.plain() for record in self]

    def _short_columns(self) -> List[str]:
        keys: Dict[str, None] = {}
        for record in self:
            keys.update((key, None) for key, value in record.items() if value is not None and not isinstance(value, (Record, list)))
        known = [key for key in _FIRST if key in keys]
        return (known if len(known) > 1 else list(keys))[:_SHORT_COLUMNS]

    def __repr__(self) -> str:
        columns = self._short_columns()
        rows = [columns, *([_cell(record.get(key)) for key in columns] for record in self)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)

    def _repr_html_(self) -> str:
        columns = self._short_columns()
        head = "".join("<th>%s</th>" % html.escape(key) for key in columns)
        body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(_cell(record.get(key))) for key in columns)
                       for record in self)
        return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>" % (head, body)


def load(path: Union[str, "os.PathLike[str]"]) -> Records:
    """The records of a file that the command wrote: .json, .jsonl or .csv. ValueError: it has another suffix, or is no such
    file."""
    name = os.fspath(path)
    with open(name, encoding="utf-8", newline="") as file:
        if name.endswith(".csv"):
            return Records(Record({key: _number(value) for key, value in row.items()}) for row in csv.DictReader(file))
        if name.endswith(".jsonl"):
            return Records(Record(json.loads(line)) for line in file if line.strip())
        if name.endswith(".json"):
            return records_of(file.read())
    raise ValueError("%s: the name of a file of records ends in .json, .jsonl or .csv" % name)


def records_of(text: Union[str, bytes]) -> Records:
    """The records of a JSON text: an array of objects, or one object. ValueError: it is none."""
    value = json.loads(text)
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError("not an array of records")
    return Records(Record(one) for one in value)


def _wrap(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value if isinstance(value, Record) else Record(value)
    if isinstance(value, list):
        if value and all(isinstance(one, Mapping) for one in value):
            return Records(_wrap(one) for one in value)
        return [_wrap(one) for one in value]
    return value


def _unwrap(value: Any) -> Any:
    if isinstance(value, Record):
        return value.plain()
    return [_unwrap(one) for one in value] if isinstance(value, list) else value


def _flatten(before: str, fields: Mapping[str, Any], row: Dict[str, Any]) -> None:
    for key, value in fields.items():
        name = before + key
        if isinstance(value, Record):
            inner: Dict[str, Any] = {}
            _flatten(name[:-3] + "_" if name.endswith("_ns") else name + "_", value, inner)
            row.update({one + "_ns" if name.endswith("_ns") else one: item for one, item in inner.items()})
        else:
            row[name] = _unwrap(value)


def _number(text: Any) -> Any:
    if text is None or text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text[1:] if text[:1] == "'" else text)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "%.4f" % value if isinstance(value, float) else str(value)
