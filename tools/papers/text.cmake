# SPDX-License-Identifier: MIT
# The text of a paper as bytes in C: cmake -D IN=NAME.paper -D OUT=NAME.inc -P texts.cmake
cmake_minimum_required(VERSION 3.22)
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REPEAT "." 100 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
get_filename_component(name ${IN} NAME_WE)
file(WRITE ${OUT} "static const char ${name}_paper[] = {\n${bytes}0};\n")
