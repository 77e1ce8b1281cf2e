# SPDX-License-Identifier: MIT
"""C as tokens and statements: just enough to know what may be changed.

Comments, strings, characters and preprocessor lines never become part of a region. Declarations,
prototypes and types are left out, but for the values that are assigned in them.
"""
import re
from collections import namedtuple

Token = namedtuple("Token", "kind text pos line")
# Tokens first .. last - 1 are an expression of one statement, which is on lines[0] .. lines[1].
# place: "body", "static" (an initialiser that its file alone can see) or "data" (any other).
Region = namedtuple("Region", "first last lines place")
# A statement that can be left out or exchanged: tokens first .. last, the last is its ";".
Statement = namedtuple("Statement", "kind first last lines")

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
      | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
      | (?P<char>[uUL]?'(?:\\.|[^'\\\n])+')
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<space>[^\S\n]+|\n)
      | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
TYPE_WORDS = set("""auto char const double enum extern float int long register restrict short signed
    static struct typedef union unsigned void volatile _Alignas _Atomic _Bool _Noreturn
    _Static_assert _Thread_local bool FILE va_list""".split())
CLOSERS = {"(": ")", "[": "]", "{": "}"}


def is_type(token):
    return token.kind == "name" and (token.text in TYPE_WORDS or token.text.endswith("_t"))


def tokenize(text):
    """All that counts, without comments, white space and preprocessor lines."""
    tokens, line, counted = [], 1, 0
    for match in TOKEN.finditer(text):
        if match.lastgroup in ("comment", "directive", "space"):
            continue
        line += text.count("\n", counted, match.start())
        counted = match.start()
        tokens.append(Token(match.lastgroup, match.group(), match.start(), line))
    return tokens


class Source:
    """One file: its tokens, which bracket closes which, and what may be changed in it."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokenize(text)
        self.partner = self._pair()
        self.regions, self.conditions, self.statements, self.returns = [], [], [], []
        self._file_scope()

    def is_at(self, i, *texts):
        return i < len(self.tokens) and self.tokens[i].text in texts

    def skip(self, i):
        """The token after this one, or after the bracket that it opens."""
        return self.partner.get(i, i) + 1

    def end_of(self, token):
        return token.pos + len(token.text)

    def slice(self, first, last):
        """The text of tokens first .. last - 1."""
        return self.text[self.tokens[first].pos:self.end_of(self.tokens[last - 1])]

    def _pair(self):
        partner, open_ones = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind == "op" and token.text in CLOSERS:
                open_ones.append(i)
            elif open_ones and token.text == CLOSERS[self.tokens[open_ones[-1]].text]:
                partner[open_ones.pop()] = i
        return partner

    def _lines(self, first, last):
        return (self.tokens[first].line, self.tokens[min(last, len(self.tokens) - 1)].line)

    def _find(self, i, end, *texts):
        """The first of these blocking brackets, or end."""
        while i < end and self.tokens[i].text not in texts:
            i = self.skip(i)
        return min(i, end)

    def _region(self, first, last, lines, place="body"):
        if first < last:
            self.regions.append(Region(first, last, lines, place))

    # ---- blocking functions ----
    def _file_scope(self):
        i, end = 0, len(self.tokens)
        while i < end:
            stop = self._find(i, end, ";", "{", "=")
            if self.is_at(stop, "{") and self.is_at(stop - 1, ")"):
                self._statement(stop, self.partner.get(stop, end))
                i = self.skip(stop)
            elif self.is_at(stop, "{"):  # a type
                if "enum" in (token.text for token in self.tokens[i:stop]):
                    self._values(stop + 1, self.partner.get(stop, end), "data")
                i = self._data(i, self.skip(stop), end)
            else:
                i = self._data(i, i, end)

    def _data(self, start, first, end):
        """The declaration that starts at token start and gives values from token first on."""
        last = self._find(first, end, ";")
        static = any(token.text == "static" for token in self.tokens[start:first + 1])
        self._values(first, last, "static" if static else "data")
        return last + 1

    def _values(self, first, last, place, lines=None):
        """What is assigned in a declaration or an enumeration."""
        i = first
        while i < last:
            stop = self._find(i, last, "=")
            comma = self._find(stop, last, ",")
            if stop + 1 < comma:
                self._region(stop + 1, comma, lines or self._lines(stop + 1, comma - 1), place)
            i = comma + 1

    # ---- statements ----
    def _statement(self, i, end):
        """Take the statement at token i of a body that ends before token end; the next one's."""
        token = self.tokens[i]
        if token.text == "{":
            close, i = self.partner.get(i, end), i + 1
            while i < close:
                i = self._statement(i, close)
            return close + 1
        if token.text in ("if", "while", "switch", "for") and self.is_at(i + 1, "("):
            return self._headed(i, end)
        if token.text in ("else", "do"):
            return self._statement(i + 1, end) if i + 1 < end else end
        if token.text in ("case", "default") or (token.kind == "name" and self.is_at(i + 1, ":")):
            colon = self._find(i, end, ":")
            self._region(i + 1, colon, self._lines(i, colon))
            return colon + 1
        if token.kind == "name" and self.is_at(i + 1, "("):
            after = self.skip(i + 1)
            if after < end and (self.is_at(after, "{") or self.tokens[after].kind == "name"):
                self._region(i + 2, after - 1, self._lines(i, after))  # a macro that loops
                return self._statement(after, end)
        return self._plain(i, end)

    def _headed(self, i, end):
        close = self.partner.get(i + 1, end)
        lines = self._lines(i, close)
        first, last = i + 2, close
        if self.tokens[i].text == "for":
            semi = self._find(first, close, ";")
            self._declared_or_region(first, semi, lines)
            last = self._find(semi + 1, close, ";")
            self._region(last + 1, close, lines)
            first = semi + 1
        self._region(first, last, lines)
        if self.tokens[i].text != "switch" and first < last:
            self.conditions.append(Region(first, last, lines, "body"))
        return self._statement(close + 1, end) if close + 1 < end else end

    def _is_declaration(self, i, end):
        j = i
        while j < end and self.tokens[j].kind == "name":
            j += 1
        stars = j
        while self.is_at(stars, "*"):
            stars += 1
        named = stars > j and stars < end and self.tokens[stars].kind == "name"
        return (is_type(self.tokens[i]) or j - i > 1 or
                (j - i == 1 and named and self.is_at(stars + 1, "=", ";", ",", "[")))

    def _declared_or_region(self, i, last, lines):
        if i < last and self._is_declaration(i, last):
            self._values(i, last, "body", lines)
            return True
        self._region(i, last, lines)
        return False

    def _plain(self, i, end):
        last = self._find(i, end, ";")
        if last >= end:
            return end
        lines, word = self._lines(i, last), self.tokens[i].text
        if word == "return":
            self._region(i + 1, last, lines)
            kind = "return"
            if i + 1 < last:
                self.returns.append(Region(i + 1, last, lines, "body"))
        elif word in ("break", "continue", "goto"):
            kind = word
        elif last == i or self._declared_or_region(i, last, lines):
            return last + 1
        else:
            kind = "expression"
        self.statements.append(Statement(kind, i, last, lines))
        return last + 1
