# SPDX-License-Identifier: MIT
# `cpack` in the build folder makes the packages of Debian; `cpack --config CPackSourceConfig.cmake` the
# sources as an archive with the version.
set(LOGP_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_PACKAGE_NAME liblogp)
set(CPACK_PACKAGE_CONTACT "The liblogp authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library dev tools python ${LOGP_MPI_KINDS})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/tools/mpi)
# What others depend on if they link it: the library alone. libmpi_abi is one of several MPIs of its name.
file(WRITE ${PROJECT_BINARY_DIR}/shlibs "liblogp ${LOGP_ABI} liblogp${LOGP_ABI} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/shlibs)
set(library "liblogp${LOGP_ABI} (= ${PROJECT_VERSION})")
foreach(package "library|liblogp${LOGP_ABI}|libs||the library"
                "dev|liblogp-dev|libdevel|${library}, logp-tools (= ${PROJECT_VERSION})|headers, manual pages and the compiler drivers"
                "tools|logp-tools|devel|${library}|the command logp, which also runs MPI programs"
                "python|python3-logp|python|python3, logp-tools (= ${PROJECT_VERSION})|the module logp of Python, over the command"
                "openmpi|liblogp-openmpi|libs|${library}|machines over the processes of Open MPI"
                "mpich|liblogp-mpich|libs|${library}|machines over the processes of MPICH")
  string(REPLACE "|" ";" package "${package}")
  list(GET package 0 name)
  string(TOUPPER ${name} upper)
  foreach(field "PACKAGE_NAME;1" "PACKAGE_SECTION;2" "PACKAGE_DEPENDS;3")
    list(GET field 0 key)
    list(GET field 1 i)
    list(GET package ${i} CPACK_DEBIAN_${upper}_${key})
  endforeach()
  list(GET package 4 what)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${PROJECT_DESCRIPTION}: ${what}")
endforeach()
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-pandas)
# What Python has compiled is not of the package, but goes with it.
file(WRITE ${PROJECT_BINARY_DIR}/prerm "#!/bin/sh\nset -e\n"
     "rm -rf /usr/lib/python3/dist-packages/logp/__pycache__\n")
file(CHMOD ${PROJECT_BINARY_DIR}/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
     WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/prerm)

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME liblogp-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "^${PROJECT_SOURCE_DIR}/build[^/]*$" "^${PROJECT_SOURCE_DIR}/build[^/]*/" "/[.]git$" "/[.]git/")
include(CPack)
