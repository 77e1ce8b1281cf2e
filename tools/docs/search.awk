# SPDX-License-Identifier: MIT
# What the search of the site looks through: of Doxygen's XML, a script with an entry for each section of a
# page and for each item of the API, [kind, name, name of its page, URL, text].
# usage: awk -v folder=XML -f search.awk

function attribute(tag, which) {
    if (!match(tag, " " which "=\"[^\"]*\""))
        return ""
    return substr(tag, RSTART + length(which) + 3, RLENGTH - length(which) - 4)
}
function quoted(text, parts, n, i) {
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "'", text)
    gsub(/&amp;/, "\\&", text)
    n = split(text, parts, /\\/) # awks do not agree on gsub() with a backslash
    text = parts[1]
    for (i = 2; i <= n; i++)
        text = text "\\\\" parts[i]
    gsub(/"/, "\\\"", text)
    gsub(/[ \t\n]+/, " ", text)
    gsub(/^[ \001]+|[ \001]+$/, "", text)
    gsub(/ ?\001[ \001]*/, "\\n", text)
    return "\"" text "\""
}
# "running_1running-sizes" is running.html#running-sizes, "vp_8h_1a2e1" vp_8h.html#a2e1; a compound has no anchor.
function url(id, page) {
    page = compound == "indexpage" ? "index" : compound
    return page ".html" (id == compound ? "" : "#" substr(id, length(page) + 3))
}
# Entries are within each other as sections are: the last is open.
function begin(what, id) {
    depth++
    kind[depth] = what
    place[depth] = url(id)
    name[depth] = text[depth] = ""
}
function end() {
    print (n++ ? "," : "") "[" quoted(kind[depth]) "," quoted(name[depth]) "," quoted(name[1]) "," \
          quoted(place[depth]) "," quoted(text[depth]) "]"
    depth--
}
# One tag, and the text up to the next.
function take(tag, content, word) {
    word = tag
    sub(/[ \/].*/, "", word)
    if (word == "compounddef")
        begin(attribute(tag, "kind"), compound)
    else if (word == "memberdef")
        begin(attribute(tag, "kind"), attribute(tag, "id"))
    else if (word == "enumvalue" || word ~ /^sect[1-6]$/)
        begin(word == "enumvalue" ? word : "section", attribute(tag, "id"))
    else if (tag ~ /^\/(compounddef|memberdef|enumvalue|sect[1-6])$/)
        end()
    else if (word == "compoundname" || (word == "name" && depth > 1 && !described) || \
             (word == "title" && (depth == 1 ? !described : name[depth] == ""))) {
        naming = 1
        name[depth] = ""
    } else if (tag ~ /^\/(compoundname|name|title)$/)
        naming = 0
    else if (tag ~ /^\/?(brief|detailed)description/)
        described = tag !~ /^\//

    if (word ~ /^(row|listitem|codeline|parameteritem|simplesect)$/)
        content = "\001" content # a line begins
    else if (word == "sp" || word == "nonbreakablespace" || tag ~ /^\/(para|codeline|title|entry)$/)
        content = " " content
    else if (word ~ /^[lr]squo$/)
        content = "'" content
    else if (word == "ndash")
        content = "-" content
    if (naming)
        name[depth] = name[depth] content
    else if (described)
        text[depth] = text[depth] content
}
function read(file, end_of_tag) {

    while ((getline < file) > 0)
        if ((end_of_tag = index($0, ">")) > 0)
            take(substr($0, 1, end_of_tag - 1), substr($0, end_of_tag + 1))
    close(file)
}
BEGIN {
    RS = "<"
    print "searchEntries(["
    list = folder "/index.xml"
    while ((getline < list) > 0)
        if (/^compound .* kind="(page|struct|union)"/ || /^compound refid="[a-z]+_8h" kind="file"/) {
            compound = attribute($0, "refid")
            read(folder "/" compound ".xml")
        }
    print "]);"
    exit n == 0
}
