# SPDX-License-Identifier: MIT
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES calls:quick)
logp_test_suites(ALONE EXECUTORS thread fiber parallel ALSO shared SUITES barrier:quick)
logp_test_suites(ALONE EXECUTORS thread parallel ALSO fiber shared SUITES nonblocking pending)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared parallel SUITES fault_collectives graph)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES
  experiment in_place nonblocking_errors reduce rendezvous repetitions vector_variants)
logp_test_suites(ALONE EXECUTORS fiber ALSO thread SUITES same)
# On the virtual clock alone, whose outcome is the same with each executor.
logp_test_suites(EXECUTORS shared SUITES choice:slow links pipelined:slow summation torus:slow transpose verify)
logp_test_suites(EXECUTORS shared ALSO parallel SUITES link_costs:slow)
# These run no programs, or with an executor of their own.
logp_test_suites(SUITES
  bound:slow bound_terms earliest explain:long explain_slack op optimum:long parameters:long record reduce_time disturbed restarts
  schedule:long summation_plan synthesis tree)
# It runs thousands of them, and threads take five times as long.
set_tests_properties(explain PROPERTIES ENVIRONMENT LOGP_TEST_EXECUTOR=fiber)
logp_keep_memory(bound explain)
# It waits for seconds on end; under a sanitizer with threads, too.
logp_test_suites(EXECUTORS fiber SUITES late_experiment:long:sleeps)
if(LOGP_SANITIZE)
  logp_test_suites(EXECUTORS thread SUITES late_experiment:long:sleeps)
  foreach(executor thread fiber) # what is given up stays behind
    set_tests_properties(late_experiment_${executor} PROPERTIES
      ENVIRONMENT "LOGP_TEST_EXECUTOR=${executor};ASAN_OPTIONS=detect_leaks=0")
  endforeach()
elseif(NOT LOGP_TESTS_PLAIN)
  logp_add_suite(memory_algorithms)
  logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES memory_algorithms)
endif()
