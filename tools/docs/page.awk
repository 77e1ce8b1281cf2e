# SPDX-License-Identifier: MIT
# A Markdown page in the form for Doxygen. The page gets a label, its headings get the anchors that
# GitHub gives them, and links to other pages become references: a broken one is a warning.
#   docs/running.md is the page "running", README.md is the first page
#   "## Timing rules" of docs/design.md has the label design-timing-rules
#   [text](design.md#timing-rules) is [text](@ref design-timing-rules)
#   [text](examples/my.machine) is [text](my.machine), a copy next to the pages

# The label of the page with this path. Folders are not part of it, except for README.md.
function label(path, folder) {
    folder = path ~ /(^|\/)docs\/README\.md$/ || (within_docs && path == "README.md")
    sub(/.*\//, "", path)
    sub(/\.md$/, "", path)
    return folder ? "documentation" : path == "README" ? "mainpage" : tolower(path)
}
# The anchor that GitHub gives to this heading.
function anchor(heading) {
    heading = tolower(heading)
    gsub(/[^a-z0-9 _-]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
function target(link, hash, path) {
    hash = index(link, "#")
    path = hash ? substr(link, 1, hash - 1) : link
    if (link ~ /^[a-z]+:\/\//)
        return link
    if (path == "" || path ~ /\.md$/)
        return "@ref " (path == "" ? page : label(path)) (hash ? "-" substr(link, hash + 1) : "")
    sub(/.*\//, "", path)
    return path
}
function linked(line, out) {
    while (match(line, /\]\([^) ]+\)/)) {
        out = out substr(line, 1, RSTART + 1) target(substr(line, RSTART + 2, RLENGTH - 3)) ")"
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}
# Doxygen makes a dash of "--" outside of quotation marks.
function options(text, parts, n, i, out) {
    n = split(text, parts, "\"")
    for (i = 1; i <= n; i++) {
        if (i % 2)
            gsub(/ --/, " \\--", parts[i])
        out = out (i > 1 ? "\"" : "") parts[i]
    }
    gsub(/\(--/, "(\\--", out)
    gsub(/\[--/, "[\\--", out)
    return out
}
# What Doxygen takes for a command outside of code. Code gets double quotes, because it would end at an
# apostrophe; it may go over lines.
function escaped(line, parts, n, i, out) {
    n = split(line, parts, "`")
    for (i = 1; i <= n; i++) {
        if (!in_code) {
            gsub(/@|\\[^|<*]/, "\\\\&", parts[i])
            parts[i] = options(parts[i])
        } else {
            gsub(/\\[|]/, "``\\|``", parts[i]) # it would show the backslash
        }
        out = out parts[i] (i < n ? "``" : "")
        if (i < n)
            in_code = !in_code
    }
    return out
}
FILENAME !~ /\.md$/ { is_page = 0 }
FILENAME ~ /\.md$/ && FNR == 1 {
    within_docs = FILENAME ~ /\/docs\/[^\/]*$/
    page = label(FILENAME)
    is_page = 1
}
is_page && /^```/ { fenced = !fenced }
is_page && /^$/ { in_code = 0 }
is_page { # a link's text is on one line
    $0 = rest $0
    rest = ""
}
is_page && !fenced && /\[[^]]*$/ {
    rest = $0 " "
    next
}
is_page && !fenced && /^# / {
    gsub(/`/, "") # the navigation would show tags
    $0 = $0 " {#" page "}"
}
is_page && !fenced && /^##+ / {
    heading = $0
    sub(/^#+ /, "", heading)
    gsub(/`/, "")
    $0 = $0 " {#" page "-" anchor(heading) "}"
}
is_page && !fenced && !/^(    |```)/ { $0 = linked(escaped($0)) }
is_page { print; next }
