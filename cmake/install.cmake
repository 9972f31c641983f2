# What `cmake --install` puts where. The result may be moved: nothing in it names its own place.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(mercer_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)

# Before 1.0 every minor version may change the binary interface.
set_target_properties(mercer PROPERTIES
                      VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS mercer EXPORT mercerTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mercer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT mercerTargets NAMESPACE mercer:: DESTINATION ${mercer_package_dir})
get_target_property(mercer_type mercer TYPE)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mercerConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/mercerConfig.cmake
                              INSTALL_DESTINATION ${mercer_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mercerConfig.cmake
              ${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindOpenBLAS.cmake
        DESTINATION ${mercer_package_dir})

if(TARGET mercer_cli)
  # Finds a shared library of the same prefix wherever that prefix is.
  file(RELATIVE_PATH mercer_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(mercer_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${mercer_bin_to_lib}")
  install(TARGETS mercer_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

  # The command writes its own completion scripts, so it must run on the machine that builds it.
  if(NOT CMAKE_CROSSCOMPILING)
    set(completions ${PROJECT_BINARY_DIR}/completions)
    file(MAKE_DIRECTORY ${completions})
    foreach(shell bash zsh fish)
      add_custom_command(OUTPUT ${completions}/mercer.${shell}
                         COMMAND mercer_cli completion ${shell} > ${completions}/mercer.${shell}
                         DEPENDS mercer_cli VERBATIM)
    endforeach()
    add_custom_target(mercer_completions ALL
                      DEPENDS ${completions}/mercer.bash ${completions}/mercer.zsh ${completions}/mercer.fish)
    install(FILES ${completions}/mercer.bash RENAME mercer
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completions}/mercer.zsh RENAME _mercer
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${completions}/mercer.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
