# SPDX-License-Identifier: MIT
# Manual pages of the API, section 3, from the comments of the headers: a page for each function, each struct
# and enum with its fields or values (logp_config(3type)), and one for each header (logp_vp.h). usage: awk -v folder=DIR -v version=VERSION -f man.awk HEADER...

function quoted(text, parts, n, i, out) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    n = split(text, parts, "`") # what is quoted as code is bold, also over the end of a line
    for (i = 1; i <= n; i++) {
        out = out parts[i]
        if (i < n)
            out = out ((bold = !bold) ? "\\fB" : "\\fR")
    }
    return out
}
function put(text) {
    text = quoted(text)
    print (text ~ /^[.']/ ? "\\&" : "") text > file
}
function start(name, synopsis, summary, section) {
    section = section ? section : "3"
    file = folder "/" name "." section
    print ".\\\" made from logp/" header > file
    print ".TH " toupper(name) " " section " \"\" \"liblogp " version "\" \"liblogp\"" > file
    print ".SH NAME" > file
    put(name " - " summary)
    print ".SH SYNOPSIS\n.nf\n.B #include <logp/" header ">" > file
    print synopsis > file
    print ".fi\n.PP\nLink with \\fB\\-llogp\\fR." > file
}
# The first sentence of a comment, on one line.
function first_sentence(lines, n, text, i) {
    for (i = 1; i <= n && lines[i] != ""; i++)
        text = text (i > 1 ? " " : "") lines[i]
    sub(/^@[a-z]+ (logp|[a-z]+\.h )?/, "", text)
    if (match(text, /[^ .]\.( +[A-Z@(].*)?$/))
        text = substr(text, 1, RSTART)
    sub(/ @.*/, "", text)
    sub(/:$/, "", text)
    gsub(/  +/, " ", text)
    return text ~ /^[A-Z][a-z ]/ ? tolower(substr(text, 1, 1)) substr(text, 2) : text
}
function sentences(text) {
    sub(/^ +/, "", text)
    if (text != "")
        put(text)
}
# Put the lines of this kind of a comment: "" for text, else "param" or "return".
function body(lines, n, wanted, i, kind, code, line, found, tag) {
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (line ~ /^ *$/) {
            if (code)
                print ".fi\n.RE" > file
            code = 0
            if (kind == wanted && wanted == "")
                print ".PP" > file
            else if (kind != "param")
                kind = ""
            continue
        }
        if (line ~ /^@file/) {
            continue
        } else if (line ~ /^@/) {
            kind = substr(line, 2, index(line, " ") - 2)
            line = substr(line, index(line, " ") + 1)
            if (kind == "param" && wanted == "param") {
                tag = line
                sub(/ .*/, "", tag)
                sub(/^[^ ]+ +/, "", line)
                print ".TP\n.I " tag > file
            }
        } else if (line ~ /^(Cost|Blocks|Memory|Threads|Time|Degenerate|Details|Source): /) {
            kind = ""
            if (wanted == "") {
                tag = line
                sub(/:.*/, "", tag)
                print ".TP\n.B " tag > file
            }
            sub(/^[A-Z][a-z]+: +/, "", line)
        } else if (line ~ /^ *LOGP_[A-Z_]+=[A-Z0-9]+ / && kind == wanted) { # a variable of the environment
            tag = line
            sub(/^ +/, "", tag)
            sub(/ .*/, "", tag)
            print ".TP\n.B " tag > file
            sub(/^ *LOGP_[A-Z_]+=[A-Z0-9]+ +/, "", line)
        } else if (line ~ /^ *- / && kind == wanted) {
            print (wanted == "" ? ".IP \\(bu 2" : ".br") > file
            sub(/^ *- /, "", line)
        } else if (kind == "" && wanted == "" && line ~ /^    / && (code || lines[i - 1] == "")) {
            if (!code)
                print ".RS\n.nf" > file
            code = 1
            put(substr(line, 5))
            continue
        } else if (line ~ /^[^ ]/ && kind != "") {
            kind = "" # text again
        }
        if (kind != "")
            tag = ""
        if (kind == wanted)
            sentences(line)
        found = found || kind == wanted
    }
    if (code)
        print ".fi\n.RE" > file
    return found
}
function has(lines, n, word, i) {
    for (i = 1; i <= n; i++)
        if (index(lines[i], "@" word) == 1)
            return 1
    return 0
}
function has_text(lines, n) { return lines[1] !~ /^@(param|return)/ }
function function_page(name, declaration) {
    if (n_doc == 0) {
        print FILENAME ": " name "() has no comment" > "/dev/stderr"
        exit failed = 1
    }
    start(name, declaration, first_sentence(doc, n_doc))
    if (has_text(doc, n_doc)) {
        print ".SH DESCRIPTION" > file
        body(doc, n_doc, "")
    }
    if (has(doc, n_doc, "param")) {
        print ".SH PARAMETERS" > file
        body(doc, n_doc, "param")
    }
    if (has(doc, n_doc, "return")) {
        print ".SH RETURN VALUE" > file
        body(doc, n_doc, "return")
    }
    print ".SH SEE ALSO\n.BR logp_" header " (3)" > file
    print "has what holds for all functions of this header: threads and further errors." > file
    close(file)
    names[++n_names] = name
}
# A field or value and its comment, in one or more lines.
function member(declaration, comment) {
    gsub(/  +/, " ", declaration)
    sub(/ +$/, "", declaration)
    print ".TP\n\\fB" quoted(declaration) "\\fR" > file
    gsub(/\n/, " ", comment)
    gsub(/  +/, " ", comment)
    gsub(/@param /, "", comment)
    sentences(comment)
}
# A comment is before its field, or after it on the same line; both go on over further lines.
function type_page(kind, name, i, line, text, before, after, declaration, open, ended, balance) {
    if (n_doc == 0) {
        print FILENAME ": " kind " " name " has no comment" > "/dev/stderr"
        exit failed = 1
    }
    start(name, ".B " kind " " name ";", first_sentence(doc, n_doc), "3type")
    print ".SH DESCRIPTION" > file
    body(doc, n_doc, "")
    print (kind == "enum" ? ".SH VALUES" : ".SH FIELDS") > file
    for (i = 1; i <= n_members; i++) {
        line = members[i]
        sub(/^ +/, "", line)
        if (open == "") {
            if (line ~ /^\/\*\*[^<]/) {
                open = "before"
                before = ""
                line = substr(line, 4)
            } else if (line ~ /^\/\*/) {
                open = "none"
                line = substr(line, 3)
            } else if (match(line, /\/\*\*?<?/)) {
                declaration = declaration " " substr(line, 1, RSTART - 1)
                line = substr(line, RSTART + RLENGTH)
                after = ""
                open = "after"
            } else {
                declaration = declaration (declaration == "" ? "" : " ") line
                line = ""
            }
        } else
            sub(/^\* ?/, "", line)
        if (open != "") {
            text = line
            ended = sub(/ *\*\/.*/, "", text)
            if (open == "before")
                before = before " " text
            else if (open == "after")
                after = after " " text
            if (!ended)
                continue
            if (open != "after") {
                open = ""
                continue
            }
            open = ""
        }
        balance = declaration # a comma within parentheses ends no field
        if (gsub(/\(/, "", balance) != gsub(/\)/, "", balance) && after == "")
            continue
        if (declaration ~ /[;,{] *$/ || (i == n_members && declaration != "") || after != "") {
            sub(/^ +/, "", declaration)
            member(declaration, after != "" ? after : before)
            declaration = before = after = ""
        }
    }
    print ".SH SEE ALSO\n.BR logp_" header " (3)" > file
    close(file)
    types[++n_types] = name
}
function header_page(i) {
    start("logp_" header, "", first_sentence(about, n_about))
    print ".SH DESCRIPTION" > file
    body(about, n_about, "")
    if (n_names)
        print ".SH FUNCTIONS" > file
    for (i = 1; i <= n_names; i++)
        print ".BR " names[i] " (3)" (i < n_names ? "," : "") > file
    if (n_types)
        print ".SH TYPES" > file
    for (i = 1; i <= n_types; i++)
        print ".BR " types[i] " (3type)" (i < n_types ? "," : "") > file
    print ".SH SEE ALSO\n.BR logp (1)" > file
    close(file)
}
FNR == 1 {
    if (header)
        header_page()
    header = FILENAME
    sub(/.*\//, "", header)
    n_names = n_types = n_doc = n_about = group = 0
}
in_type && !/^\}/ { members[++n_members] = $0; next }
/^[ ]*\/\*\* @\{ \*\// { group = 1; next }
/^[ ]*\/\*\* @\} \*\// { group = 0; next }
/^\/\*\*($|[^<])/ {
    within = 1
    n_doc = 0
    margin = /^\/\*\* / ? 4 : 3 # columns before the text of the next lines
}
within {
    ended = /\*\//
    line = substr($0, (/^\/\*\*/ ? 4 : margin) + 1)
    sub(/ ?\*\/.*/, "", line)
    if (line ~ /^  [a-z]+\.h /) # a list of headers
        sub(/^ +/, "- ", line)
    while (match(line, / @(param|return) /)) {
        doc[++n_doc] = substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + 1)
    }
    if (n_doc > 0 || line !~ /^ *$/)
        doc[++n_doc] = line
    if (ended) {
        within = 0
        while (n_doc > 0 && doc[n_doc] ~ /^ *$/)
            n_doc--
        if (doc[1] ~ /^@file/) {
            for (i = 2; i <= n_doc; i++)
                about[i - 1] = doc[i]
            n_about = n_doc - 1
        }
    }
    next
}
/^LOGP_API / || (/^static inline .*[ *]logp_[a-z0-9_]+\(/ && n_doc > 0) { text = ""; declaring = 1 }
declaring {
    ended = /;|\)$/
    sub(/^LOGP_API |^static inline /, "")
    sub(/^         /, "")
    sub(/\)$/, ");")
    text = text ".BI \"" $0 "\"\n"
    if (ended) {
        declaring = 0
        name = text
        match(name, /logp_[a-z0-9_]+\(/)
        function_page(substr(name, RSTART, RLENGTH - 1), text)
        if (!group)
            n_doc = 0
    }
    next
}
/^(struct|enum|union) logp_[a-z0-9_]+ \{/ {
    kind = $1
    type = $2
    n_members = 0
    rest = $0
    sub(/^[^{]*\{ */, "", rest)
    if (rest != "")
        n = split(rest, parts, / *, */) # of one line
    if (rest != "" && sub(/ *\};.*/, "", parts[n]))
        for (i = 1; i <= n; i++)
            members[++n_members] = parts[i] (i < n ? "," : "")
    else
        in_type = 1
    if (!in_type) {
        type_page(kind, type)
        n_doc = 0
    }
    next
}
in_type && /^\}/ {
    type_page(kind, type)
    in_type = n_doc = 0
    next
}
/^(struct|enum|#define|typedef|static)/ && !group && !declaring { n_doc = 0 }
END {
    if (failed)
        exit 1
    header_page()
}
