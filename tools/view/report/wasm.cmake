# SPDX-License-Identifier: MIT
# The fold as WebAssembly, for the page's sliders: what_if.c and the functions of algorithms and
# delay models that it calls, compiled by clang for wasi-libc, and gzipped.
# LOGP_FOLD: the file; "": it cannot be made.
set(LOGP_FOLD "")
set(LOGP_HAS_FOLD false CACHE INTERNAL "the page of logp report has sliders")
if(LOGP_FIRST_RUN)
  return()
endif()
set(wasm_triple wasm32-wasi)
find_program(LOGP_WASM_CLANG clang)
find_program(LOGP_WASM_LD wasm-ld)
find_program(LOGP_GZIP gzip)
find_file(LOGP_WASI_CRT crt1-reactor.o PATHS /usr/lib/${wasm_triple} NO_DEFAULT_PATH)
find_file(LOGP_WASI_LIBC libc.a PATHS /usr/lib/${wasm_triple} NO_DEFAULT_PATH)
if(LOGP_WASM_CLANG AND NOT DEFINED LOGP_WASM_BUILTINS)
  execute_process(COMMAND ${LOGP_WASM_CLANG} -print-resource-dir OUTPUT_VARIABLE resources
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_file(LOGP_WASM_BUILTINS libclang_rt.builtins-wasm32.a PATHS ${resources}/lib/wasi
            NO_DEFAULT_PATH)
endif()
if(NOT (LOGP_WASM_CLANG AND LOGP_WASM_LD AND LOGP_GZIP AND LOGP_WASI_CRT AND LOGP_WASI_LIBC AND
        LOGP_WASM_BUILTINS))
  message(STATUS "no clang with lld, wasi-libc and libclang-rt-*-dev-wasm32: "
                 "the page of logp report has no sliders")
  return()
endif()

# What runs machines, reads their files or evaluates graphs is in no fold.
get_target_property(wasm_sources logp_algorithms SOURCES)
list(FILTER wasm_sources EXCLUDE REGEX
     "^\\$|^experiment/|^graph/|^parameters/|/machine_file.c$")
list(TRANSFORM wasm_sources PREPEND ${PROJECT_SOURCE_DIR}/algorithms/)
foreach(name in_force fault fault_text latency linked link_table loggp network networks none
             store_forward topology)
  list(APPEND wasm_sources ${PROJECT_SOURCE_DIR}/runtime/delay/${name}.c)
endforeach()
list(APPEND wasm_sources ${PROJECT_SOURCE_DIR}/runtime/host/defs.c ${LOGP_PAGE}/what_if.c)
# wasi-libc lacks two errors; their values are not seen outside.
set(wasm_flags --target=${wasm_triple} -std=gnu11 -Oz -w -D_GNU_SOURCE -DETIME=62 -DEHOSTDOWN=112
    -ffunction-sections -fdata-sections -fvisibility=hidden -I${LOGP_PAGE}/wasm
    -I${PROJECT_SOURCE_DIR}/include)
set(wasm_dir ${CMAKE_CURRENT_BINARY_DIR}/view/report/wasm)
set(wasm_objects "")
foreach(source IN LISTS wasm_sources)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  set(object ${wasm_dir}/${name}.o)
  string(REGEX REPLACE "/.*" "" layer ${name})
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object}
    COMMAND ${LOGP_WASM_CLANG} ${wasm_flags} -I${PROJECT_SOURCE_DIR}/${layer} -MD -MF ${object}.d
            -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building ${name} as WebAssembly" VERBATIM)
  list(APPEND wasm_objects ${object})
endforeach()
set(LOGP_FOLD ${wasm_dir}/fold.wasm.gz)
set(LOGP_HAS_FOLD true CACHE INTERNAL "the page of logp report has sliders")
# What runs machines is imported, and never called: the page's own functions refuse.
add_custom_command(OUTPUT ${LOGP_FOLD}
  COMMAND ${LOGP_WASM_LD} --no-entry --gc-sections --strip-all --allow-undefined --stack-first
          -z stack-size=1048576 --export=what_if --export=what_if_values
          --export=what_if_collective --export=what_if_algorithm --export=_initialize
          ${wasm_objects} ${LOGP_WASI_CRT} ${LOGP_WASI_LIBC} ${LOGP_WASM_BUILTINS} -o ${wasm_dir}/fold.wasm
  COMMAND ${LOGP_GZIP} -9nkf ${wasm_dir}/fold.wasm
  DEPENDS ${wasm_objects} COMMENT "Linking the fold as WebAssembly" VERBATIM)
