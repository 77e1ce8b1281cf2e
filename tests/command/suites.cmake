# SPDX-License-Identifier: MIT
# Command lines of logp, one script for each topic.
if(PYTHON3 AND NOT LOGP_TESTS_PLAIN)
  # A little of it; for hours, and under sanitizers: --cases N --seed S.
  logp_script(command_attack:slow attack.py $<TARGET_FILE:logp_command> ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus
              --cases 150)
endif()
foreach(kind IN LISTS LOGP_MPI_KINDS)
  logp_script(command_processes_${kind}:long:alone processes.sh $<TARGET_FILE:logp_command> ${kind})
endforeach()
if(LOGP_SANITIZE OR LOGP_TESTS_PLAIN)
  return()
endif()

add_library(feign MODULE command/feign.c)
target_link_libraries(feign PRIVATE logp_headers ${CMAKE_DL_LIBS})
# One source, two binaries: what was found by one is shown by the other.
foreach(replayed replayed rebuilt)
  add_executable(${replayed} command/replayed.c)
  target_link_libraries(${replayed} PRIVATE logp::logp)
endforeach()
target_compile_options(rebuilt PRIVATE -O0)
add_executable(crashes command/crashes.c)
target_link_libraries(crashes PRIVATE logp::logp)
foreach(topic
    best:long
    completion
    crashes
    disk
    help
    host:alone
    loggopsim:long
    points:slow
    replay:slow
    streams:slow
    traces:slow
    trees:slow)
  string(REGEX REPLACE ":.*" "" script ${topic})
  logp_script(command_${topic} ${script}.sh $<TARGET_FILE:logp_command> $<TARGET_FILE:five_ns> $<TARGET_FILE:feign>)
endforeach()
add_library(refuse MODULE command/refuse.c)
target_link_libraries(refuse PRIVATE ${CMAKE_DL_LIBS})
logp_script(command_memory:slow memory.sh $<TARGET_FILE:logp_command> $<TARGET_FILE:refuse>
            ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus)
