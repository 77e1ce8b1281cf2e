# SPDX-License-Identifier: MIT
# Sourced by quickstart and check: install what is missing, configure, build. Progress on stderr.
# Everything is relative to the checkout, so it may be called from any directory.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build

build_packages="gcc cmake ninja-build pkg-config liburcu-dev libhwloc-dev libboost-context-dev
    libjansson-dev zlib1g-dev libjs-dygraphs"
test_packages="libcriterion-dev jq spin valgrind protobuf-compiler doxygen groff zsh librsvg2-bin
    fonts-dejavu-core chromium python3 g++ libgtest-dev libopenmpi-dev openmpi-bin libmpich-dev mpich
    abigail-tools gettext meson autoconf automake libtool autoconf-archive dpkg-dev podman debootstrap
    libomp-dev libsqlite3-dev libfftw3-dev gfortran
    python3-pytest python3-pandas jupyter-nbconvert python3-ipykernel python3-ipywidgets"
# of the tests format and tidy; they are skipped without them
style_packages="clang-format clang-tidy"
# libFuzzer, where the distribution has it by these names
fuzz_packages="clang libclang-rt-dev"

# of the sliders of the report page, which has none without them; the names are those of Debian 12
wasm_packages="clang lld wasi-libc libclang-rt-14-dev-wasm32"
# for axe-core, which the test report_axe needs
npm_packages="npm"

say() { printf '== %s\n' "$*" >&2; }

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            printf '%s ' "$package"
    done
}

# install_packages NAME...: on Debian and Ubuntu, as root or with sudo; elsewhere say what is needed.
install_packages() {
    local missing as_root=
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "not a Debian system; these must be installed (names are Debian's): $*"
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        if ! sudo -n true 2>/dev/null && ! [ -t 0 ]; then
            say "missing packages and no root; install them with: apt-get install $missing"
            exit 1
        fi
    fi
    say "installing $missing"
    # shellcheck disable=SC2086
    { apt_get update -qq &&
        apt_get install -y -qq --no-install-recommends $missing; } >&2
}

# apt_get WORDS...: with $as_root. While another apt-get holds a lock, as after a start of Ubuntu, it waits: with the
# option apt-get does so itself for the lock of dpkg, and says so, but at that of the lists it fails.
lock_s=600
apt_get() {
    local log held='^E: \(Could not get\|Unable to\) lock' end=$((SECONDS + lock_s)) told=
    log=$(mktemp)
    while true; do
        { $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -o "DPkg::Lock::Timeout=$lock_s" "$@" 2>&1 ||
            echo "apt-get $1 failed: exit code $?"; } | tee "$log" | { grep --line-buffered -v "$held\|^apt-get $1 failed" || true; }
        if ! grep -q "^apt-get $1 failed" "$log"; then
            rm "$log"
            return 0
        fi
        if ! grep -q "$held" "$log" || [ $SECONDS -ge $end ]; then
            grep "$held\|^apt-get $1 failed" "$log" || true
            rm "$log"
            return 1
        fi
        [ -n "$told" ] || say "another apt-get holds the lock; waiting for it, at most $((lock_s / 60)) minutes"
        told=yes
        sleep 1
    done
}

# install_axe: into $build, in the version that is pinned. Without a network the test is skipped.
install_axe() {
    mkdir -p "$build/axe"
    cp "$top"/tests/tools/report/package*.json "$build/axe"
    (cd "$build/axe" && npm ci --ignore-scripts --no-audit --no-fund) >"$build/axe.log" 2>&1 ||
        say "without axe-core (see $build/axe.log): the test report_axe is skipped"
}

# configure PRESET [OPTION...]: $build. Warnings of CMake are in its configure.log.
configure() {
    local preset=$1
    shift
    (cd "$top" && cmake --preset "$preset" -B "$build" "$@") >"$build.log" 2>&1 ||
        { cat "$build.log" >&2; exit 1; }
    mv "$build.log" "$build/configure.log"
}

# configure_and_build PRESET [OPTION...]: into $build, all of it.
configure_and_build() {
    say "configuring $build"
    configure "$@"
    say "building"
    cmake --build "$build" >&2
}
