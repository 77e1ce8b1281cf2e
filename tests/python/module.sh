#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The claims of test_*.py beside this.
# usage: module.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/python.sh" "$1" pytest pandas
exec "$python" -m pytest -q -p no:cacheprovider "$here"
