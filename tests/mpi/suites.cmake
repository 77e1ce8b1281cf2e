# SPDX-License-Identifier: MIT
# MPI programs that logp runs; what logp writes for MPI libraries; machines over the processes of one.
if(LOGP_SANITIZE MATCHES "address|thread") # it and the MPI library both want to come before the C library
  logp_script(mpi_sanitized run.sh ${CMAKE_BINARY_DIR}/tools sanitized)
elseif(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  foreach(part checks:slow own:slow system ends:slow explored:slow options report bugs:slow accesses:slow drawn:slow gdb:optional
               programs:slow refused openmpi:slow:optional processes:slow:optional)
    string(REGEX REPLACE ":.*" "" its_name ${part})
    logp_script(mpi_${part} run.sh ${CMAKE_BINARY_DIR}/tools ${its_name})
  endforeach()
  foreach(part drivers cmake:slow meson:slow:optional autotools:slow:optional sanitizers:optional)
    string(REGEX REPLACE ":.*" "" its_name ${part})
    logp_script(mpi_builds_${part} builds.sh ${CMAKE_BINARY_DIR}/tools ${its_name})
  endforeach()
  if(CMAKE_BUILD_TYPE MATCHES "^Rel") # optimized; skipped where there is no valgrind
    logp_script(mpi_instructions:slow:optional instructions.sh ${CMAKE_BINARY_DIR}/tools)
  endif()
  if(TARGET mpi_ubsan) # the same with another build of the MPI library alone
    logp_command_test(mpi_ubsan_build:long ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target mpi_ubsan)
    set_tests_properties(mpi_ubsan_build PROPERTIES FIXTURES_SETUP mpi_ubsan)
    foreach(part checks own system ends explored options report bugs accesses drawn programs refused processes:optional)
      string(REGEX REPLACE ":.*" "" its_name ${part})
      logp_script(mpi_ubsan_${part}:long run.sh ${CMAKE_BINARY_DIR}/ubsan ${its_name})
      set_property(TEST mpi_ubsan_${its_name} APPEND PROPERTY FIXTURES_REQUIRED mpi_ubsan)
    endforeach()
  endif()
  # Skipped where there is neither Open MPI nor MPICH.
  logp_script(tune_mpi:long:alone:optional tune_mpi.sh $<TARGET_FILE:logp_command>)
  logp_script(schedule_mpi:long:optional schedule_mpi.sh $<TARGET_FILE:logp_command>)
endif()

# Each MPI that there is a transport for; the suite is a plain program, since an MPI and Criterion's sandbox do not go
# together.
if(NOT LOGP_MPI_KINDS)
  return()
endif()
foreach(suite processes processes_clock)
  add_executable(test_${suite} runtime/core/test_${suite}.c support/plain.c)
  target_compile_definitions(test_${suite} PRIVATE LOGP_TESTS_PLAIN)
  target_include_directories(test_${suite} PRIVATE support)
  target_link_libraries(test_${suite} PRIVATE logp::logp Threads::Threads)
endforeach()
add_executable(test_over_processes algorithms/over_processes.c laws/test_cases.c runtime/call/test_groups.c
                                   runtime/call/test_options.c support/simulator.c)
foreach(suite calls in_place nonblocking pending reduce summation transpose vector_variants)
  target_sources(test_over_processes PRIVATE algorithms/test_${suite}.c)
endforeach()
target_compile_definitions(test_over_processes PRIVATE LOGP_TESTS_PLAIN LOGP_TESTS_OVER_PROCESSES)
target_include_directories(test_over_processes PRIVATE support)
target_link_libraries(test_over_processes PRIVATE logp::logp Threads::Threads)
foreach(kind IN LISTS LOGP_MPI_KINDS)
  foreach(n 1 2 3) # what is not long: Open MPI, with two processes, and with three threads
    set(mark alone)
    set(mark_of_fibers alone)
    if(kind STREQUAL mpich OR n EQUAL 1)
      set(mark long:alone)
    endif()
    if(kind STREQUAL mpich OR NOT n EQUAL 2)
      set(mark_of_fibers long:alone)
    endif()
    if(n GREATER 1)
      logp_script(over_processes_${kind}_${n}:${mark_of_fibers} processes.sh ${kind} ${n}
                  $<TARGET_FILE:test_over_processes>)
      set_tests_properties(over_processes_${kind}_${n} PROPERTIES ENVIRONMENT LOGP_TEST_EXECUTOR=fiber)
    endif()
    logp_script(processes_${kind}_${n}_thread:${mark} processes.sh ${kind} ${n} $<TARGET_FILE:test_processes>)
    logp_script(processes_${kind}_${n}_fiber:${mark_of_fibers} processes.sh ${kind} ${n} $<TARGET_FILE:test_processes>)
    foreach(executor thread fiber)
      set_tests_properties(processes_${kind}_${n}_${executor} PROPERTIES ENVIRONMENT LOGP_TEST_EXECUTOR=${executor})
    endforeach()
    logp_script(processes_clock_${kind}_${n}:${mark_of_fibers} processes.sh ${kind} ${n}
                $<TARGET_FILE:test_processes_clock>)
  endforeach()
endforeach()
