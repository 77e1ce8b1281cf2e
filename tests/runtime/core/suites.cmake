# SPDX-License-Identifier: MIT
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES
  deadlock ended inject limits process:quick report sleep timing:quick)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES faults)
logp_test_suites(EXECUTORS shared parallel ALSO thread fiber SUITES random:slow)
logp_test_suites(EXECUTORS parallel SUITES parallel order)
# It makes its machines itself, and counts what only the runtime sees.
logp_add_suite(worth)
target_include_directories(test_worth PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
target_link_libraries(test_worth PRIVATE PkgConfig::URCU PkgConfig::HWLOC)
target_sources(test_worth PRIVATE support/random_program.c support/simulator.c)
logp_test_suites(SUITES worth)
logp_test_suites(SUITES accounting sizes)
logp_test_suites(ALONE EXECUTORS thread fiber SUITES absence late_start)
# A piece by itself.
logp_add_suite(release core/release.c)
logp_test_suites(SUITES release)
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
  endforeach()
  logp_test_suites(ALONE SUITES timeout)
  logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES memory)
endif()
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  add_executable(dlopen runtime/core/dlopen.c) # not linked with the library
  target_link_libraries(dlopen PRIVATE logp_headers Threads::Threads ${CMAKE_DL_LIBS})
  logp_command_test(dlopen dlopen $<TARGET_FILE:logp>)
  # A hundred lives of a machine, with all that can happen in one: nothing leaks.
  add_executable(lifecycle runtime/core/lifecycle.c)
  target_include_directories(lifecycle PRIVATE support)
  target_link_libraries(lifecycle PRIVATE logp::logp)
  foreach(executor thread fiber)
    logp_command_test(lifecycle_${executor}:alone lifecycle 100 ${executor})
    if(VALGRIND)
      logp_command_test(lifecycle_${executor}_valgrind:slow
                        ${VALGRIND} --quiet --leak-check=full --error-exitcode=1 --fair-sched=yes
                        $<TARGET_FILE:lifecycle> 100 ${executor} virtual)
    endif()
  endforeach()
  if(TARGET bench_soak)
    foreach(work "messages;2000000" "programs;500" "lives;200")
      list(GET work 0 kind)
      list(GET work 1 count)
      logp_command_test(soak_${kind}:long:alone bench_soak --${kind} ${count})
    endforeach()
  endif()
endif()
