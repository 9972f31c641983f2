# mercer_embed(TARGET NAME FILE): the bytes of FILE as `extern const std::string_view NAME` in namespace
# mercer::cli, compiled into TARGET.
function(mercer_embed target name file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DINPUT=${file} -DOUTPUT=${output} -P
            ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
