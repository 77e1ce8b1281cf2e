# SPDX-License-Identifier: MIT
"""The small changes: which there are, and which of them a file, or the tree, can have.

A site is a place with its possible changes (its choices); a mutant is a site with one of them.
"""
import difflib
import random
import re
from collections import namedtuple

from .tokens import Source, is_type

# choices: [(what it is, first character, one past the last, the text instead)]
Site = namedtuple("Site", "file line lines place choices")
Mutant = namedtuple("Mutant", "file line lines place what start stop text")

BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["*"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
}
ANYWHERE = {
    "++": ["--"], "--": ["++"], "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["+="], "/=": ["*="],
    "%=": ["="], "&=": ["|=", "="], "|=": ["&=", "="], "^=": ["="], "<<=": [">>="], ">>=": ["<<="],
}
KINDS = {"&&": "logical", "||": "logical"}
KINDS.update({op: "comparison" for op in ("<", "<=", ">", ">=", "==", "!=")})
NOT_CALLS = {"sizeof", "_Alignof", "if", "while", "for", "switch", "return", "defined"}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
FLOATING = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?([fFlL]?)$")


class Finder:
    """The sites of one file."""

    def __init__(self, name, text):
        self.name, self.source, self.sites = name, Source(text), []
        source = self.source
        for region in source.regions:
            self._expression(region)
        for region in source.conditions:
            text = source.slice(region.first, region.last)
            self._add(region, region.first, [("condition negated", region, "!(%s)" % text)])
        for region in source.returns:
            self._returned(region)
        for statement in source.statements:
            self._left_out(statement)
        self.sites.sort(key=lambda site: (site.choices[0][1], site.choices[0][2], site.choices))

    def _add(self, where, token, choices):
        """choices: (what, region or token, text)"""
        source, placed = self.source, []
        for what, place, text in choices:
            if hasattr(place, "first"):
                start = source.tokens[place.first].pos
                stop = source.end_of(source.tokens[place.last - 1])
            else:
                start, stop = place.pos, source.end_of(place)
            placed.append((what, start, stop, text))
        if placed:
            self.sites.append(Site(self.name, source.tokens[token].line, where.lines,
                                   getattr(where, "place", "body"), placed))

    def _is_cast(self, close, opened):
        """Whether these brackets hold a type: what follows them is not a binary operator."""
        inside = self.source.tokens[opened + 1:close]
        before = self.source.tokens[opened - 1] if opened > 0 else None
        if not inside or (before is not None and before.text in ("sizeof", "_Alignof")):
            return False
        return is_type(inside[0]) and all(t.kind == "name" or t.text == "*" for t in inside)

    def _is_binary(self, i, first, opened):
        if i == first:
            return False
        before = self.source.tokens[i - 1]
        if before.text == ")":
            return not self._is_cast(i - 1, opened[i - 1])
        return before.text == "]" or (before.kind in ("name", "number", "char", "string")
                                      and before.text not in ("return", "case", "sizeof"))

    def _expression(self, region):
        source = self.source
        opened = {close: start for start, close in source.partner.items()}
        i = region.first
        while i < region.last:
            token = source.tokens[i]
            if token.text in ("sizeof", "_Alignof") and source.is_at(i + 1, "("):
                i = source.skip(i + 1)
                continue
            if token.kind == "number":
                self._constant(region, i)
            elif token.text in ("true", "false"):
                other = "false" if token.text == "true" else "true"
                self._add(region, i, [("constant", token, other)])
            elif token.kind == "name" and source.is_at(i + 1, "("):
                self._swapped(region, i)
            elif token.kind == "op":
                self._operator(region, i, opened)
            i += 1

    def _operator(self, region, i, opened):
        token, binary = self.source.tokens[i], self._is_binary(i, region.first, opened)
        if token.text in ANYWHERE:
            self._add(region, i, [("arithmetic", token, o) for o in ANYWHERE[token.text]])
        elif token.text in BINARY and binary:
            what = KINDS.get(token.text, "arithmetic")
            self._add(region, i, [(what, token, o) for o in BINARY[token.text]])
        elif token.text in ("!", "-", "~") and not binary:
            what = "condition negated" if token.text == "!" else "sign left out"
            self._add(region, i, [(what, token, "")])

    def _constant(self, region, i):
        token = self.source.tokens[i]
        integer, floating = INTEGER.match(token.text), FLOATING.match(token.text)
        if integer:
            digits, suffix = integer.groups()
            octal = re.match(r"0[0-7]+$", digits)
            value = int(digits, 8) if octal else int(digits, 0)
            near = [value + 1] + ([value - 1] if value > 0 else [])
            choices = ["%d%s" % (n, suffix) for n in near]
        elif floating:
            number, exponent, suffix = floating.groups()
            choices = ["%r%s%s" % (float(number) + 1, exponent or "", suffix)]
        else:
            return
        self._add(region, i, [("constant", token, text) for text in choices])

    def _swapped(self, region, i):
        source = self.source
        if source.tokens[i].text in NOT_CALLS or is_type(source.tokens[i]):
            return
        close, arguments, first = source.partner[i + 1], [], i + 2
        while first < close:
            comma = source._find(first, close, ",")
            arguments.append((first, comma))
            first = comma + 1
        choices = []
        for (a, a_end), (b, b_end) in zip(arguments, arguments[1:]):
            left, right = source.slice(a, a_end), source.slice(b, b_end)
            between = source.text[source.end_of(source.tokens[a_end - 1]):source.tokens[b].pos]
            if left != right and (left[0] == '"') == (right[0] == '"'):
                whole = region._replace(first=a, last=b_end)
                choices.append(("arguments swapped", whole, right + between + left))
        self._add(region, i, choices)

    def _returned(self, region):
        tokens = self.source.tokens[region.first:region.last]
        text = self.source.slice(region.first, region.last)
        if any(t.text in KINDS or t.text == "!" for t in tokens) and "?" not in text:
            others = ["!(%s)" % text]
        elif text in ("true", "false"):
            return  # a constant already
        elif text == "NULL":
            return
        elif len(tokens) == 1 and tokens[0].kind == "number":
            return
        else:
            others = ["0", "(%s) + 1" % text]
        self._add(region, region.first, [("return value", region, other) for other in others])

    def _left_out(self, statement):
        source = self.source
        whole = statement._replace(last=statement.last + 1)
        choices = [("statement left out", whole, ";")]
        if statement.kind in ("break", "continue"):
            other = "continue" if statement.kind == "break" else "break"
            choices.append(("break/continue", source.tokens[statement.first], other))
        self._add(statement, statement.first, choices)


def sites_of(name, text):
    return Finder(name, text).sites


def draw(texts, seed):
    """All sites in a random order, each with one of its choices; texts: {file: its text}."""
    sites = [site for name in sorted(texts) for site in sites_of(name, texts[name])]
    generator = random.Random(seed)
    generator.shuffle(sites)
    return [Mutant(*site[:4], *generator.choice(site.choices)) for site in sites]


def mutated(text, mutant):
    return text[:mutant.start] + mutant.text + text[mutant.stop:]


def diff(text, mutant):
    """As diff -u, with two lines around it."""
    new = mutated(text, mutant)
    return "".join(difflib.unified_diff(text.splitlines(True), new.splitlines(True), mutant.file,
                                        "%s: %s" % (mutant.file, mutant.what), n=2))


def changed_lines(text, mutant):
    """([lines that go], [lines that come]), without the blanks around them."""
    gone, come = [], []
    for line in diff(text, mutant).splitlines()[2:]:
        if line.startswith("-"):
            gone.append(" ".join(line[1:].split()))
        elif line.startswith("+"):
            come.append(" ".join(line[1:].split()))
    return gone, come
