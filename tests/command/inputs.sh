#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Files that are read, where they are none: empty, a directory, a device or a pipe without an end,
# bytes that are no text. Each is refused in one line, by every option and command that reads one.
. "$(dirname "$0")/support.sh"

# A read without an end fails.
ulimit -t 20 -v 4000000

: >"$dir/empty"
mkdir "$dir/folder.json" "$dir/folder.csv"
ln -s /dev/zero "$dir/zero.csv"
ln -s /dev/zero "$dir/zero.json"
: >"$dir/empty.json"
: >"$dir/empty.csv"
head -c 100000 /dev/urandom >"$dir/random"
cp "$dir/random" "$dir/random.json"
cp "$dir/random" "$dir/random.csv"

# each_reader FILE: by all that read text
each_reader() {
    bad predict broadcast --machine "$1"
    bad run --schedule "$1"
    bad predict --schedule "$1"
    bad replay "$1"
}
expect='L missing' bad predict broadcast --machine "$dir/empty"
expect='empty' each_reader "$dir/empty"
expect="directory" each_reader "$dir/folder.json"
expect="No such file" each_reader "$dir/missing"
expect="zero byte" each_reader /dev/zero
expect="zero byte" each_reader "$dir/random"
for kind in csv json; do
    expect="directory" bad plot "$dir/folder.$kind"
    expect="zero byte" bad plot "$dir/zero.$kind"
    expect="zero byte" bad plot "$dir/random.$kind"
    expect="no records" bad plot "$dir/empty.$kind"
done
# a pipe that holds more than any file may
expect="256 MiB" bad predict broadcast --machine <(yes | head -c 300M)
expect="256 MiB" bad predict --schedule <(yes | head -c 300M)
expect="256 MiB" bad replay <(yes | head -c 300M)
# and one that ends
printf 'L = 1us\no = 2us\ng = 3us\n' >"$dir/m"
json '.[0] | (.L_ns == 1000 and .g_ns == 3000)' predict broadcast --machine <(cat "$dir/m")

finish
