# SPDX-License-Identifier: MIT
# What a user gets: the installed files, the packages, the set-up from clean sources.
if(LOGP_SANITIZE OR LOGP_TESTS_PLAIN)
  return()
endif()
logp_script(installed_consumer:slow consumer.sh ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/examples
            ${PROJECT_SOURCE_DIR}/docs/examples/jitter.c)
logp_script(installed_examples:slow examples.sh ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/examples)
# Skipped where there is no dpkg, or for a user who is not root.
logp_script(packages:long:optional packages.sh ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
# Skipped where there is no debootstrap.
logp_script(chroot:long:optional chroot.sh ${CMAKE_BINARY_DIR})
# Skipped where there is no podman.
logp_script(containerfile:long:optional containerfile.sh ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
logp_script(quickstart:long:optional quickstart.sh ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
logp_script(ci_examples:slow ci.sh ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
logp_script(apt_lock apt_lock.sh ${PROJECT_SOURCE_DIR})
# All write the list of what is installed.
set_tests_properties(installed_consumer installed_examples ci_examples packages chroot containerfile PROPERTIES RESOURCE_LOCK installed)
