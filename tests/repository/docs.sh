#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The site of the documentation is made without a warning, its links lead somewhere, every function that the
# library has is in it, and what is quoted as code and options in text look as they are written. usage: docs.sh BUILD_DIR LIBRARY
set -euo pipefail
rm -rf "$1/docs" # pages that are no longer made
cmake --build "$1" --target docs
functions=$(nm -D --defined-only "$2" | sed -n 's/^.* T \(logp_[a-z0-9_]*\).*/\1/p')
[ "$(wc -l <<<"$functions")" -gt 100 ]
for name in $functions; do
    grep -q "class=\"memItemRight\".*>$name</[ab]> (" "$1"/docs/html/*_8h.html ||
        { echo "FAILED: $name is not documented"; exit 1; }
done
if grep -nE '&ndash;|\\\||`' "$1"/docs/html/*.html | grep -vE 'class="(line|fragment)"'; then
    echo "FAILED: the site shows marks of Markdown, or a dash for --"; exit 1
fi
python3 "$(dirname "$0")/links.py" "$1/docs/html"
