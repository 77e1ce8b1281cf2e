#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tools/setup.sh waits while another apt-get holds a lock, and says so once; whatever else fails, fails at once. The
# apt-get here is a feigned one, which says what that of Debian 12 says. usage: apt_lock.sh SOURCE_DIR
set -euo pipefail
. "$1/tools/setup.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; cat "$dir/said"; exit 1; }

mkdir "$dir/bin"
cat >"$dir/bin/apt-get" <<'END'
#!/bin/sh
echo "$*" >>"$FEIGNED/calls"
[ "$DEBIAN_FRONTEND" = noninteractive ] || exit 1
case $* in
*update*)
    [ "$(grep -c update "$FEIGNED/calls")" -gt "$HELD" ] && exit 0
    echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)'
    echo 'E: Unable to lock directory /var/lib/apt/lists/'
    exit 100
    ;;
*nosuch*) echo 'E: Unable to locate package nosuch' && exit 100 ;;
esac >&2
END
# it is root's, and no package is there
printf '#!/bin/sh\necho 0\n' >"$dir/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$dir/bin/dpkg-query"
chmod +x "$dir"/bin/*
export FEIGNED=$dir PATH=$dir/bin:$PATH
# installs HELD CODE WORDS...: so many times the lock of the lists is held
installs() {
    local code=0
    rm -f "$dir/calls"
    export HELD=$1
    (install_packages "${@:3}") >"$dir/said" 2>&1 || code=$?
    [ $code -eq "$2" ] || fail "install_packages ${*:3}: exit code $code"
    ! grep -v -e '-o DPkg::Lock::Timeout=[0-9]* \(update\|install\)' "$dir/calls" || fail 'no time to wait for a lock'
}
waits() { grep -c 'another apt-get holds the lock; waiting for it' "$dir/said" || true; }

installs 0 0 first second
[ "$(waits)" -eq 0 ] && [ "$(wc -l <"$dir/calls")" -eq 2 ] || fail 'no lock is held'
grep -q 'install .* first second' "$dir/calls" || fail 'what is installed'
installs 2 0 first
[ "$(waits)" -eq 1 ] && [ "$(grep -c update "$dir/calls")" -eq 3 ] || fail 'a lock that is held for a while'
! grep -q '^E:' "$dir/said" || fail 'what is tried again is no error'
lock_s=0
installs 9 1 first
grep -q '^E: Could not get lock' "$dir/said" && ! grep -q install "$dir/calls" || fail 'a lock that is held for too long'
lock_s=600
installs 0 1 nosuch
grep -q '^E: Unable to locate package nosuch' "$dir/said" || fail 'another error'
echo 'a lock that another apt-get holds is waited for'
