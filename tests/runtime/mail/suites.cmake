# SPDX-License-Identifier: MIT
logp_add_suite(matching)
target_sources(test_matching PRIVATE ${PROJECT_SOURCE_DIR}/runtime/host/memory.c
                                     ${PROJECT_SOURCE_DIR}/runtime/mail/heap.c
                                     ${PROJECT_SOURCE_DIR}/runtime/mail/index.c
                                     ${PROJECT_SOURCE_DIR}/runtime/mail/match.c
                                     ${PROJECT_SOURCE_DIR}/runtime/mail/pool.c)
target_include_directories(test_matching PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
target_link_libraries(test_matching PRIVATE PkgConfig::URCU)
set_source_files_properties(${PROJECT_SOURCE_DIR}/runtime/mail/heap.c
                            ${PROJECT_SOURCE_DIR}/runtime/mail/index.c
                            PROPERTIES COMPILE_DEFINITIONS "calloc=test_calloc;realloc=test_realloc;lpi_memory_zeroed=test_zeroed")
logp_test_suites(SUITES matching)
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES backpressure mailbox match:quick queue)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES rendezvous_rule)
