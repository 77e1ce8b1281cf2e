#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Make the packages; install them into an empty root, use what is there, and remove them without a trace.
# usage: packages.sh BUILD_DIR SOURCE_DIR     Exit code 77: there is no dpkg, or no root
set -euo pipefail
build=$1
source=$2
{ command -v dpkg && command -v dpkg-shlibdeps && [ "$(id -u)" -eq 0 ]; } >/dev/null || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

(cd "$build" && cpack -G DEB -B "$dir/packages") >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"
version=$("$build/tools/logp" --version | sed -n 's/^logp //p')
grep -qx "version: $version" "$source/CITATION.cff" || fail "CITATION.cff has another version than $version"
for name in "liblogp${version%.*}" liblogp-dev logp-tools python3-logp; do
    package=$(echo "$dir/packages/${name}_${version}"_*.deb)
    [ -s "$package" ] || fail "no package $name"
    dpkg-deb -f "$package" Depends | tr , '\n' | sed 's/(.*//; s/^ *//; s/ *$//' >"$dir/needs"
    while read -r needed; do # the host has been able to run what was built
        case $needed in
        liblogp* | logp-tools) ;;
        *) dpkg-query -W "$needed" >/dev/null || fail "$name depends on $needed" ;;
        esac
    done <"$dir/needs"
done
grep -qx libc6 <<<"$(dpkg-deb -f "$dir/packages"/logp-tools_*.deb Depends | grep -o libc6)" ||
    fail "logp-tools does not depend on the C library"

root=$dir/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers} "$root/var/log"
touch "$root"/var/lib/dpkg/{status,available}
# the root is empty, so what the packages depend on is not there
dpkg=(dpkg "--root=$root" --force-depends --force-script-chrootless --log=/dev/null)
"${dpkg[@]}" -i "$dir/packages"/*.deb >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"
"$root/usr/bin/logp" run broadcast -P 16 --clock virtual >"$dir/out"
grep -q 'optimal .* yes' "$dir/out" || fail "$(cat "$dir/out")"
[ "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/usr/lib/python3/dist-packages LOGP_COMMAND=$root/usr/bin/logp \
    python3 -c 'import logp; print(logp.predict("broadcast").best().predicted_ns)')" = 240000 ] || fail "the module of Python"
"$root/usr/bin/logp-cc" "$root/usr/share/doc/logp/examples/ring.c" -o "$dir/ring"
"$root/usr/bin/logp" mpirun -P 4 "$dir/ring" >/dev/null
"$dir/ring" >/dev/null || fail "an MPI program by itself"
# other MPIs have a library of this name in usr/lib, and in their packages
[ -z "$(find "$root/usr/lib" -name 'libmpi_abi*' -not -path '*/lib/logp/*')" ] || fail "libmpi_abi in usr/lib"
[ "$(cat "$root"/var/lib/dpkg/info/*.shlibs)" = "liblogp ${version%.*} liblogp${version%.*} (>= $version)" ] ||
    fail "what the packages offer to others: $(cat "$root"/var/lib/dpkg/info/*.shlibs)"
export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig LD_LIBRARY_PATH=$root/usr/lib
# shellcheck disable=SC2046
cc "$root/usr/share/doc/logp/examples/first.c" -o "$dir/first" $(pkg-config --cflags --libs logp)
"$dir/first" >/dev/null
[ -s "$root/usr/share/doc/logp/LICENSE" ] || fail "no licence"
[ -s "$root/usr/share/man/man3/logp_send.3" ] || fail "no manual page"
mapfile -t installed < <("${dpkg[@]}" --get-selections | cut -f1)
"${dpkg[@]}" --purge "${installed[@]}" >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"
[ -z "$(find "$root/usr" -type f 2>/dev/null)" ] || fail "left: $(find "$root/usr" -type f)"
