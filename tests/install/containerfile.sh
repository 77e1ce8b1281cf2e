#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# podman builds the image of docs/examples/ci/Containerfile without a network, and what it has installed runs a collective and an MPI
# program. The base is this host's system, in which the packages that the file names are installed already. A package of
# what this build installs stands in for the compilation in the first stage: the test quickstart compiles clean sources, and packages
# and chroot look at the packages themselves.
# usage: containerfile.sh BUILD_DIR SOURCE_DIR     Exit code 77: there is no podman, no root, no dpkg, or this is another Debian
set -euo pipefail
build=$1 source=$2 file=docs/examples/ci/Containerfile
{ command -v podman && command -v unshare && command -v dpkg-deb && [ "$(id -u)" -eq 0 ] && unshare -n true; } >/dev/null 2>&1 || exit 77
. /etc/os-release
base=$ID:${VERSION_ID:-}
[ "$(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$source/$file" | sort -u)" = "$base" ] || exit 77
names=$(sed -n '/^RUN apt-get/,/[^\\]$/p' "$source/$file" | tr -d '\\\\' | sed 's/.*--no-install-recommends//; s/&&.*//; s/^ *rm .*//' | tr ' ' '\n' | grep '^[a-z]')
# shellcheck disable=SC2086
[ -n "$names" ] && dpkg-query -W $names >/dev/null 2>&1 || exit 77
dir=$(mktemp -d)
fail() { echo "FAILED: $*"; exit 1; }
# A storage of its own. Without crun, for hosts whose control groups it does not know, and so without podman's own network.
pod() { unshare -n podman --root "$dir/storage" --runroot "$dir/run" "$@"; }
left() {
    pod rmi -af >/dev/null 2>&1 || true
    awk -v in_dir="$dir/" 'index($2, in_dir) == 1 { print $2 }' /proc/mounts | sort -r | while read -r mounted; do umount -l "$mounted"; done
    rm -rf "$dir"
}
trap left EXIT

# the base: all but /usr, which is this host's, with what is written to it dropped after each step
mkdir -p "$dir/root"/{dev,proc,root,run,sys,tmp,usr,var/cache/apt/archives/partial,var/lib/apt/lists/partial,var/log/apt}
chmod 1777 "$dir/root/tmp"
tar -C / --exclude=etc/apt -cf - bin sbin lib lib64 etc var/lib/dpkg | tar -C "$dir/root" -xf -
mkdir "$dir/root/etc/apt"
tar -C "$dir/root" -cf "$dir/base.tar" .
# a host that mounts no overlays for it
pod import -q "$dir/base.tar" "docker.io/library/$base" >"$dir/said" 2>&1 || { cat "$dir/said"; exit 77; }

mkdir -p "$dir/context/made" "$dir/package/DEBIAN"
cmake --install "$build" --strip --prefix "$dir/package/usr" >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"
printf '%s\n' 'Package: logp-made' 'Version: 1' "Architecture: $(dpkg --print-architecture)" 'Maintainer: a test' 'Description: a build' \
    >"$dir/package/DEBIAN/control"
dpkg-deb -Znone -b "$dir/package" "$dir/context/made/logp.deb" >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"
cat >"$dir/context/made/use.sh" <<'END'
set -eu
logp run broadcast -P 16 --clock virtual --format csv | grep -q true
logp-cc /usr/share/doc/logp/examples/ring.c -O2 -o /tmp/ring
[ "$(logp mpirun -P 4 -L 6us -o 2us -g 4us --clock virtual /tmp/ring)" = '4 ranks, sum 10, 50 us' ]
END
sed -e '/^RUN cmake /,/[^\\]$/c RUN mkdir /packages && cp made/* /packages' -e 's|/packages/\*.deb /packages/$|/packages/* /packages/|' \
    -e 's|rm -rf /packages|sh /packages/use.sh \&\& &|' \
    "$source/$file" >"$dir/Containerfile"
grep -q 'cp made' "$dir/Containerfile" && grep -q 'use.sh' "$dir/Containerfile" || fail "the steps of $file have changed"
pod build --isolation=chroot --pull=never -v /usr:/usr:O -f "$dir/Containerfile" "$dir/context" >"$dir/said" 2>&1 ||
    fail "$(tail -20 "$dir/said")"
