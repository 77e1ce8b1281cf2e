# SPDX-License-Identifier: MIT
# The Python module over the command, and the notebook of the broadcast. Skipped without pytest or Jupyter.
if(LOGP_SANITIZE OR LOGP_TESTS_PLAIN OR NOT TARGET logp_command)
  return()
endif()
logp_script(python:slow:optional module.sh ${CMAKE_BINARY_DIR})
logp_script(notebook:long:optional notebook.sh ${CMAKE_BINARY_DIR})
