# SPDX-License-Identifier: MIT
# The suites of runtime/. Where threads and fibers switch, stop and fail by code of their own, a suite runs with both.
# What runs on the wall clock takes threads, where the order of memory matters most; what runs on the virtual clock alone
# takes the fastest: its outcome is the same with each. With several cores under the virtual clock its windows might
# put things in another order.
include(${CMAKE_CURRENT_LIST_DIR}/host/suites.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/state/suites.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/delay/suites.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/carrier/suites.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/trace/suites.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/mail/suites.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/core/suites.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/call/suites.cmake)

# On more cores than most hosts have. ThreadSanitizer looks at one number of them.
set(cores 5 16 64)
if(LOGP_SANITIZE)
  set(cores 16)
endif()
if(NOT LOGP_TESTS_PLAIN)
  logp_on_cores(fiber "${cores}" mailbox match deadlock placement calls nonblocking)
  logp_on_cores(parallel "${cores}" group parallel order random)
  # Many programs, beside the few that each level of the tests has.
  foreach(n IN ITEMS 2 ${cores})
    add_test(NAME order_long_${n}_cores COMMAND logp_tests --filter order/* --jobs 1)
    set_tests_properties(order_long_${n}_cores PROPERTIES ENVIRONMENT
      "LOGP_TEST_EXECUTOR=parallel;LOGP_TEST_CORES=${n};LOGP_TEST_PROGRAMS=1000")
    logp_declare(order_long_${n}_cores long)
  endforeach()
endif()

# The models of the hand-over, lanes, offers and the deadlock scan, exhaustively.
find_program(SPIN spin)
if(SPIN AND NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  logp_script(handover_model:long models/check)
endif()
