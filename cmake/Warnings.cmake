# Warnings that every target of the project is compiled with. Warnings are errors.
add_library(gpushape_warnings INTERFACE)
add_library(gpushape::warnings ALIAS gpushape_warnings)
target_compile_options(gpushape_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Wold-style-cast -Wcast-qual -Woverloaded-virtual -Wnull-dereference -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside its own standard library at -O2 (GCC bugs 105562, 105329, 106199).
  target_compile_options(gpushape_warnings INTERFACE -Wno-error=maybe-uninitialized -Wno-error=restrict
    -Wno-error=null-dereference -Wno-error=array-bounds -Wno-error=stringop-overflow)
else()
  # libstdc++ 12's own stable_sort uses a buffer that it marks deprecated, and clang says so in our instantiations.
  target_compile_options(gpushape_warnings INTERFACE -Wno-deprecated-declarations)
endif()
