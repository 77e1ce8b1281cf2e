#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Install the packages with apt-get in a new Debian of debootstrap, use them, upgrade them and remove them: what they
# need is in their dependencies, and nothing of them is left.
# usage: chroot.sh BUILD_DIR     Exit code 77: there is no debootstrap, no root, or no archive of Debian to be read
set -euo pipefail
build=$1
{ command -v debootstrap && command -v dpkg-deb && [ "$(id -u)" -eq 0 ]; } >/dev/null || exit 77
. /etc/os-release
# the archive that this host installs from
site=$(apt-get indextargets --format '$(CODENAME) $(SITE)' | awk -v name="${VERSION_CODENAME:-}" '$1 == name { print $2; exit }')
[ -n "$site" ] || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

root=$dir/root
debootstrap --variant=minbase "$VERSION_CODENAME" "$root" "$site" >"$dir/said" 2>&1 || exit 77
cp -r /etc/apt/. "$root/etc/apt/"
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp DEBIAN_FRONTEND=noninteractive \
    http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" "$@"; }
# apt-get update ends with 0 also if it has read no index
{ inside apt-get update -qq && inside apt-get install -s -qq libhwloc15; } >"$dir/said" 2>&1 || exit 77
inside find / -xdev -path /proc -prune -o -path /var -prune -o -print | sort >"$dir/before"

(cd "$build" && cpack -G DEB -B "$root/packages") >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"
install() { inside apt-get install -y -qq --no-install-recommends "$@" >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"; }
packages() { (cd "$root" && printf '/%s\n' "$1"/*.deb); }
mapfile -t first < <(packages packages)
install "${first[@]}"
inside logp run broadcast -P 16 --clock virtual --format json >"$dir/out" || fail "$(cat "$dir/out")"
grep -q '"verified": *true' "$dir/out" || fail "$(cat "$dir/out")"
[ "$(inside python3 -c 'import logp; print(logp.predict("broadcast").best().predicted_ns)')" = 240000 ] || fail "Python"
inside test -s /usr/share/man/man1/logp.1.gz -o -s /usr/share/man/man1/logp.1 || fail "no manual page"

# a later version of the same
mkdir "$root/later"
for package in "${first[@]}"; do
    dpkg-deb -R "$root$package" "$dir/unpacked"
    version=$(sed -n 's/^Version: //p' "$dir/unpacked/DEBIAN/control")
    sed -i "s/$version/$version.1/g" "$dir/unpacked/DEBIAN/control"
    dpkg-deb -b "$dir/unpacked" "$root/later" >/dev/null
    rm -r "$dir/unpacked"
done
mapfile -t later < <(packages later)
install "${later[@]}"
[ "$(inside dpkg-query -W -f '${Version}' logp-tools)" = "$version.1" ] || fail "the upgrade"
inside logp predict broadcast >/dev/null || fail "after the upgrade"

names=()
for package in "${first[@]}"; do
    names+=("$(dpkg-deb -f "$root$package" Package)")
done
inside apt-get purge -y -qq "${names[@]}" >"$dir/said" 2>&1 || fail "$(cat "$dir/said")"
inside find / -xdev -path /proc -prune -o -path /var -prune -o -print | sort | comm -13 "$dir/before" - |
    grep -v '^/\(packages\|later\)/' | grep -i logp >"$dir/left" && fail "left: $(cat "$dir/left")"
exit 0
