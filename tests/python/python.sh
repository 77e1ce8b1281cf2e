# SPDX-License-Identifier: MIT
# Sourced: $python is a Python 3 that has these modules; without one the test is skipped.
# usage: . python.sh BUILD_DIR MODULE...
export LOGP_COMMAND=$1/tools/logp PYTHONPATH
PYTHONPATH=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools/python" && pwd)
export PYTHONDONTWRITEBYTECODE=1
shift
for python in python3 /usr/bin/python3; do
    "$python" -c "import $(sed 's/ /, /g' <<<"$*")" 2>/dev/null && return
done
echo "there is no Python with $*: skipped"
exit 77
