# SPDX-License-Identifier: MIT
# What `cmake --install` puts where: library, headers, the CMake package, the pkg-config file, examples.
# The components are the packages of package.cmake.
include(CMakePackageConfigHelpers)

set(LOGP_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/logp)
install(TARGETS logp EXPORT logp-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/logp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT logp-targets NAMESPACE logp:: DESTINATION ${LOGP_CMAKE_DIR} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/logp-config.cmake.in
                              ${PROJECT_BINARY_DIR}/logp-config.cmake
                              INSTALL_DESTINATION ${LOGP_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/logp-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/logp-config.cmake
              ${PROJECT_BINARY_DIR}/logp-config-version.cmake DESTINATION ${LOGP_CMAKE_DIR}
        COMPONENT dev)
# Relative to where the file lies, so that the installed tree may be moved.
file(RELATIVE_PATH LOGP_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/tools/logp.pc.in ${PROJECT_BINARY_DIR}/logp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/logp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/logp COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/examples/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/logp/examples COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/docs/examples/ring.c ${PROJECT_SOURCE_DIR}/docs/examples/race.c
              ${PROJECT_SOURCE_DIR}/docs/examples/zigzag.c ${PROJECT_SOURCE_DIR}/docs/examples/jitter.c
              ${PROJECT_SOURCE_DIR}/docs/examples/broadcast.ipynb
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/logp/examples COMPONENT dev)
# Where Debian's packages have modules of Python; from elsewhere PYTHONPATH names it.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/python/logp DESTINATION lib/python3/dist-packages COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMENT "" VERBATIM COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
                    -P ${PROJECT_SOURCE_DIR}/tools/uninstall.cmake)
  include(${PROJECT_SOURCE_DIR}/tools/package.cmake)
endif()
