# gpushape_embed_packed(TARGET NAMESPACE SYMBOL FOLDER): packs every *.yaml below FOLDER into binary trees and adds a source
# to TARGET that defines `std::span<const document::PackedFile> NAMESPACE::SYMBOL()`, sorted by path. The packing tool is
# built from src/document/pack_main.cpp.
function(gpushape_embed_packed target namespace symbol folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*.yaml")
  list(SORT files)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp")
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.list")
  string(REPLACE ";" "\n" lines "${files}")
  file(GENERATE OUTPUT "${list_file}" CONTENT "${lines}\n")
  add_custom_command(OUTPUT "${output}"
    COMMAND gpushape_pack "${folder}" "${list_file}" "${namespace}" "${symbol}" "${output}"
    DEPENDS gpushape_pack "${list_file}" ${files}
    COMMENT "Packing ${symbol}" VERBATIM)
  gpushape_add_data(${target} ${symbol} "${output}")
endfunction()

# gpushape_add_data(TARGET NAME SOURCE): a made source that is data, not code. It is a target of its own so that no linter reads
# its megabytes of literals.
function(gpushape_add_data target name source)
  add_library(gpushape_${name} OBJECT "${source}")
  target_include_directories(gpushape_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  set_target_properties(gpushape_${name} PROPERTIES CXX_CLANG_TIDY "")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:gpushape_${name}>)
endfunction()

# gpushape_write_embedded(TARGET NAMESPACE SYMBOL FOLDER ROWS): the source whose function SYMBOL gives ROWS, as a part of TARGET.
function(gpushape_write_embedded target namespace symbol folder rows)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp" @ONLY CONTENT
"// Made by the build from @folder@.
#include \"base/embedded_text.hpp\"
namespace @namespace@ {
std::span<const EmbeddedText> @symbol@() {
  static constexpr EmbeddedText kFiles[] = {
@rows@    {\"\", \"\"}};
  return std::span(kFiles, std::size(kFiles) - 1);
}
}
")
  gpushape_add_data(${target} ${symbol} "${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp")
endfunction()

# gpushape_embed_text(TARGET NAMESPACE SYMBOL FOLDER PATTERN): adds a source to TARGET that defines
# `std::span<const base::EmbeddedText> NAMESPACE::SYMBOL()` with the files of FOLDER that match PATTERN, by name.
function(gpushape_embed_text target namespace symbol folder pattern)
  file(GLOB files CONFIGURE_DEPENDS "${folder}/${pattern}")
  list(SORT files)
  set(rows "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    get_filename_component(name "${file}" NAME)
    # A raw string literal may not exceed 64 KiB in other compilers and its delimiter must not occur in the text.
    string(APPEND rows "    {\"${name}\", R\"gpushape(${text})gpushape\"},\n")
  endforeach()
  gpushape_write_embedded(${target} ${namespace} ${symbol} "${folder}" "${rows}")
endfunction()

# gpushape_embed_cases(TARGET NAMESPACE SYMBOL FOLDER FILE): the same of FOLDER/*/FILE, each under the name of its own folder.
function(gpushape_embed_cases target namespace symbol folder file_name)
  file(GLOB files CONFIGURE_DEPENDS "${folder}/*/${file_name}")
  list(SORT files)
  set(rows "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    get_filename_component(name "${file}" DIRECTORY)
    get_filename_component(name "${name}" NAME)
    string(APPEND rows "    {\"${name}\", R\"gpushape(${text})gpushape\"},\n")
  endforeach()
  gpushape_write_embedded(${target} ${namespace} ${symbol} "${folder}" "${rows}")
endfunction()
