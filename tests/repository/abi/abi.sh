#!/bin/sh
# SPDX-License-Identifier: MIT
# The ABI of the public headers is that of tests/repository/abi/*.abi.gz, and the library has its functions.
#
# usage: abi.sh update              write the .abi.gz file anew
#        abi.sh test LIBRARY LOGP   compare, and show that a change would be found
#
# A release has no debug information, so what is compared is a library made of the headers alone:
# each function of theirs with an empty body.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
recorded=$top/tests/repository/abi/liblogp-0.2.abi.gz
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
known=$dir/known.abi

fail() { printf 'abi: %s\n' "$*" >&2; exit 1; }

# stub INCLUDE OUT.so: the headers of a folder as a library
stub() {
    rm -rf "$dir/marked" && mkdir "$dir/marked" && cp -r "$1/logp" "$dir/marked/"
    sed -i 's/^#define LOGP_API .*/#define LOGP_API @api@/' "$dir/marked/logp/defs.h"
    printf '#include <logp/%s>\n' logp.h paper.h >"$dir/all.c"
    cc -E -P -I"$dir/marked" "$dir/all.c" | awk '
        { text = text $0 "\n" }
        END {
            while ((at = index(text, "@api@")) > 0) {
                printf "%s", substr(text, 1, at - 1)
                text = substr(text, at + 5)
                end = index(text, ";")
                declared = substr(text, 1, end - 1)
                printf "%s%s", declared, (index(declared, "(") > 0 ? " { __builtin_trap(); }" : ";")
                text = substr(text, end + 1)
            }
            printf "%s", text
        }' >"$dir/stub.c"
    # Structs that no function takes, and macros that fill them, are part of the ABI as well.
    echo 'extern const struct logp_plugin logp_abi_plugin; const struct logp_plugin logp_abi_plugin;
void logp_abi_coll(const struct logp_invocation *c); void logp_abi_coll(const struct logp_invocation *c) { (void)c; }' \
        >>"$dir/stub.c"
    (cd "$dir" && cc -std=gnu2x -g -O0 -w -fPIC -shared -fdebug-prefix-map="$dir"=. stub.c -o "$2")
}

write_abi() {
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
        --type-id-style hash "$1" >"$2"
}

differs() { ! abidiff --no-show-locs "$1" "$2" >"$dir/difference"; }

# copy NAME: the headers, to be changed, in a folder of their own
copy() { mkdir -p "$dir/$1" && cp -r "$top/include/logp" "$dir/$1/"; }

stub "$top/include" "$dir/headers.so"
if [ "$1" = update ]; then
    write_abi "$dir/headers.so" "$known"
    gzip -9 -n -c "$known" >"$recorded" # -n: the same bytes for the same ABI
    exit 0
fi
gzip -dc "$recorded" >"$known"
library=$2 logp=$3

differs "$known" "$dir/headers.so" && { cat "$dir/difference" >&2; fail "the ABI has changed; \
after a change that CHANGELOG.md lists: tests/repository/abi/abi.sh update"; }

# The library exports what the headers declare, and nothing else.
symbols() { nm -D --defined-only "$1" | awk '$2 ~ /[TDRB]/ { print $3 }' | grep '^logp_' | grep -v '^logp_abi_' | sort; }
symbols "$library" >"$dir/library"
symbols "$dir/headers.so" >"$dir/declared"
diff "$dir/library" "$dir/declared" >&2 || fail "the library (<) and the headers (>) differ"

# A field planted in a public struct is found, with its name.
plants='collective.h:args delay.h:network machine.h:config algorithm.h:step'
copy planted
for plant in $plants; do
    name=${plant#*:}
    sed -i "s/^struct logp_$name {/&\n    long planted_in_$name;/" "$dir/planted/logp/${plant%%:*}"
done
stub "$dir/planted" "$dir/planted.so"
differs "$known" "$dir/planted.so" || fail 'planted fields are not found'
for plant in $plants; do
    grep -q "planted_in_${plant#*:}'" "$dir/difference" || fail "a field planted in struct logp_${plant#*:} is not found"
done

# A plug-in that was compiled when struct logp_args was smaller is refused, in a line that says why.
copy old
sed -i '/^    int64_t work_ns;/d' "$dir/old/logp/collective.h"
cc -std=c11 -w -fPIC -shared -DODD_ROWS=1 -DODD_BRINGS=false -I"$dir/old" \
    "$top/tests/plugins/odd.c" -o "$dir/old.so"
code=0
"$logp" run broadcast --algo idle --plugin "$dir/old.so" --clock virtual >"$dir/out" 2>&1 || code=$?
[ $code = 2 ] && grep -q 'compiled for another version of liblogp' "$dir/out" ||
    fail "a plug-in of an older struct logp_args: exit code $code, $(cat "$dir/out")"
