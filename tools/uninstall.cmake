# SPDX-License-Identifier: MIT
# Remove what the last `cmake --install` of a build folder has put somewhere, and the folders of liblogp that are empty then.
# usage: cmake -D BUILD=FOLDER -P uninstall.cmake
if(NOT EXISTS ${BUILD}/install_manifest.txt)
  message(FATAL_ERROR "nothing was installed from ${BUILD}: it has no install_manifest.txt")
endif()
file(STRINGS ${BUILD}/install_manifest.txt files)
set(folders)
foreach(file IN LISTS files)
  set(file $ENV{DESTDIR}${file})
  if(EXISTS ${file} OR IS_SYMLINK ${file})
    file(REMOVE ${file})
  endif()
  get_filename_component(folder ${file} DIRECTORY)
  while(folder MATCHES "/logp(/|$)|/python3(/|$)") # others may use the rest
    list(APPEND folders ${folder})
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # what is within a folder comes before it
foreach(folder IN LISTS folders)
  file(GLOB left ${folder}/* ${folder}/.[!.]*)
  if(NOT left)
    file(REMOVE_RECURSE ${folder})
  endif()
endforeach()
list(LENGTH files n)
message(STATUS "removed ${n} files")
