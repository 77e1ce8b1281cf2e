# SPDX-License-Identifier: MIT
# A while of fuzzing, where clang has libFuzzer; skipped where not. For hours: see run.
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  logp_script(fuzz:long:optional run ${CMAKE_BINARY_DIR} 4)
endif()
