# SPDX-License-Identifier: MIT
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES
  deadlock ended inject limits process:quick report timing:quick)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES faults)
logp_test_suites(EXECUTORS shared parallel ALSO thread fiber SUITES random:slow)
logp_test_suites(EXECUTORS parallel SUITES parallel)
logp_test_suites(SUITES accounting sizes)
logp_test_suites(ALONE SUITES beside)
# Not with shared stacks: they are on the wall clock alone.
logp_test_suites(EXECUTORS thread fiber ALSO parallel SUITES late:slow:sleeps)
# It waits for seconds on end; under a sanitizer with threads, too.
logp_test_suites(EXECUTORS fiber SUITES late_after:slow:sleeps)
if(LOGP_SANITIZE)
  logp_test_suites(EXECUTORS thread SUITES late_after:slow:sleeps)
elseif(NOT LOGP_TESTS_PLAIN)
  # They stand in for functions of the C library, as the sanitizers do.
  foreach(suite memory timeout)
    logp_add_suite(${suite})
    target_link_libraries(test_${suite} PRIVATE ${CMAKE_DL_LIBS})
  endforeach()
  logp_test_suites(ALONE SUITES timeout)
  logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES memory)
endif()
