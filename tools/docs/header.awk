# SPDX-License-Identifier: MIT
# A header in the form for Doxygen: line by line, so that the line numbers of its warnings are ours.
#   " * Cost:    o_send"     a paragraph with this heading (the alias is in CMakeLists.txt)
#   " *   vp.h   what ..."   an item of a list
#   "    int tag;"           a field with a plain name, which counts as documented
BEGIN { plain = " /**< \302\240 */" }
/^ \*  ?(Cost|Blocks|Memory|Threads|Time|Degenerate|Details|Source): / {
    match($0, /[A-Z][a-z]+: +/)
    heading = substr($0, RSTART, RLENGTH)
    sub(/: +/, "", heading)
    $0 = " * @heading{" heading "} " substr($0, RSTART + RLENGTH)
}
/^ \*   [a-z]+\.h / { sub(/^ \*   /, " * - ") }
{ gsub(/ \.\. /, " ..\\&nbsp;") } # no end of a sentence
!/^ \*     / { # an option, no dash
    gsub(/ --/, " \\--")
    gsub(/\(--/, "(\\--")
}
/\/\*\*($|[^<])/ { documented = 1 }
/^    +[a-z}][][A-Za-z0-9_ *,]*;/ && !documented && !within {
    end = index($0, ";")
    fields = substr($0, 1, end)
    type = substr(fields, 1, index(fields, ","))
    sub(/[^ ]*$/, "", type)
    gsub(/, /, ";" plain type, fields)
    $0 = fields (end == length($0) ? plain : substr($0, end + 1))
}
/^    LOGP_[A-Z_]+,$/ { $0 = $0 plain } # enumerators, too
/^enum .*\{ LOGP_.* \};/ {
    gsub(/, /, "," plain " ")
    sub(/ \};/, plain " };")
}
/[;{]/ && !/^ *\/?\*/ { documented = 0 }
/\/\*/ { within = 1 }
/\*\// { within = 0 }
/^struct [a-z_]+ \{/ { outer = $2 }
/^    struct \{$/ { nested = 1 } # it gets a name, without which Doxygen links to fields that it does not show
nested {
    lines = lines $0 "\n"
    if (!/^    \} [a-z]+;/)
        next
    name = $2
    sub(/;.*/, "", name)
    sub(/struct \{/, "/** The type of the field of this name. */\n    struct " outer "_" name " {", lines)
    $0 = substr(lines, 1, length(lines) - 1)
    lines = nested = ""
}
{ print }
