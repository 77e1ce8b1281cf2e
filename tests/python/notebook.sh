#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All cells of docs/examples/broadcast.ipynb run, and the file is kept without outputs.
# usage: notebook.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/python.sh" "$1" nbconvert ipykernel ipywidgets pandas
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir JUPYTER_PLATFORM_DIRS=1
book=$here/../../docs/examples/broadcast.ipynb
! grep -q '"output_type"' "$book" || { echo "broadcast.ipynb holds outputs: clear them"; exit 1; }
# nbconvert cannot run the sliders of ipywidgets before 7, which Debian 12 has: there they are drawn once.
mkdir -p "$HOME/.ipython/profile_default/startup"
cat >"$HOME/.ipython/profile_default/startup/sliders.py" <<'END'
import ipywidgets
if ipywidgets.version_info[0] < 7:
    ipywidgets.interact = lambda **spans: lambda draw: draw()
END
"$python" -m ipykernel install --user --name logp >/dev/null 2>&1
"$python" -m nbconvert --to html --execute --ExecutePreprocessor.kernel_name=logp "$book" --output-dir "$dir" >"$dir/said" 2>&1 ||
    { cat "$dir/said"; exit 1; }
[ "$(grep -c '<svg' "$dir/broadcast.html")" -ge 4 ] || { echo "the pictures are missing"; exit 1; }
