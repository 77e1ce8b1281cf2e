# SPDX-License-Identifier: MIT
# The test kit: its suites run no programs on the wall clock, or with an executor of their own.
logp_test_suites(SUITES
  check:slow check_busy:slow check_faults check_labels check_told check_limits check_more check_network check_points check_requests check_search check_smallest check_times
  check_twice explore_calls explore_cores explore_counts explore_requests:slow history)
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  logp_add_suite(memory_check)
  logp_test_suites(SUITES memory_check)
endif()
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  # Example programs with bugs that the kit finds.
  foreach(protocol abd paxos raft:slow philosophers stealing:slow mwabd:slow figure8:long suzuki:slow)
    string(REGEX REPLACE ":.*" "" program ${protocol})
    set(most)
    if(program MATCHES "mwabd|figure8|suzuki") # with bugs that need more choices
      set(most 30)
    endif()
    add_executable(${program} examples/${program}.c)
    target_link_libraries(${program} PRIVATE logp::logp)
    logp_script(protocol_${protocol} protocol.py $<TARGET_FILE:${program}> ${most})
  endforeach()
  add_executable(fresh kit/fresh.c)
  target_link_libraries(fresh PRIVATE logp::logp)
  logp_script(kit_fresh:slow fresh.sh $<TARGET_FILE:logp_command> $<TARGET_FILE:fresh> ${CMAKE_C_COMPILER}
              ${CMAKE_CURRENT_SOURCE_DIR}/kit/fresh.c $<TARGET_FILE:logp> ${PROJECT_SOURCE_DIR}/include)
  logp_script(kit_tsan tsan.sh ${CMAKE_C_COMPILER} ${CMAKE_CURRENT_SOURCE_DIR}/examples/first.c
              ${PROJECT_SOURCE_DIR}/tools/tsan.supp $<TARGET_FILE:logp> ${PROJECT_SOURCE_DIR}/include)
  logp_script(kit_explored:slow explored.sh $<TARGET_FILE:logp_command> ${CMAKE_C_COMPILER} $<TARGET_FILE:logp>
              ${CMAKE_CURRENT_SOURCE_DIR}/kit ${PROJECT_SOURCE_DIR}/include)
endif()
