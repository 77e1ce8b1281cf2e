# SPDX-License-Identifier: MIT
# The site's navigation, as Doxygen's layout: the sections and pages of docs/README.md, then the API.
function group(title) {
    if (open)
        print "</tab>"
    open = 1
    print "<tab type=\"usergroup\" visible=\"yes\" title=\"" title "\">"
}
BEGIN {
    print "<doxygenlayout version=\"1.0\"><navindex>\n<tab type=\"mainpage\" visible=\"yes\" title=\"liblogp\"/>"
    print "<tab type=\"user\" visible=\"yes\" url=\"@ref documentation\" title=\"All pages\"/>"
}
/^## / { group(substr($0, 4)) }
/^- \[[^]]+\]\([^)]+\.md\)/ {
    title = path = $0
    sub(/^- \[/, "", title)
    sub(/\].*/, "", title)
    sub(/^[^(]*\(/, "", path)
    sub(/\.md\).*/, "", path)
    sub(/.*\//, "", path)
    print "<tab type=\"user\" visible=\"yes\" url=\"@ref " tolower(path) "\" title=\"" title "\"/>"
}
END {
    group("API")
    print "<tab type=\"filelist\" visible=\"yes\" title=\"Headers\"/>"
    print "<tab type=\"classlist\" visible=\"yes\" title=\"Structs\"/>"
    print "<tab type=\"globals\" visible=\"yes\" title=\"Functions, types and macros\"/>"
    print "</tab></navindex></doxygenlayout>"
}
