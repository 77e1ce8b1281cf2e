#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Check the model of the hand-over exhaustively. usage: handover.sh MODEL
set -euo pipefail
model=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
spin -a "$model"
cc -O2 -w -DSAFETY -DCOLLAPSE -DNOFAIR -o pan pan.c
./pan -m200000 | tee out
grep -q 'errors: 0' out
! grep -q 'max search depth too small' out
