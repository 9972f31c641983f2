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
  install(FILES ${PROJECT_SOURCE_DIR}/tools/completion/mercer.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME mercer)
endif()
