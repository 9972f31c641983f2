# OpenBLAS as the imported target OpenBLAS::OpenBLAS, also where its own package file (Debian's) only
# sets variables with absolute paths: a target's name can be exported, a path of this machine cannot.
# Installed beside mercerConfig.cmake, which uses it to link the static library.

find_package(OpenBLAS QUIET CONFIG)
if(NOT OpenBLAS_FOUND)
  find_library(OpenBLAS_LIBRARY NAMES openblas)
  find_path(OpenBLAS_INCLUDE_DIR NAMES openblas_config.h
            PATH_SUFFIXES openblas openblas-pthread openblas-serial openblas-openmp)
  mark_as_advanced(OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR)
  set(OpenBLAS_LIBRARIES ${OpenBLAS_LIBRARY})
  set(OpenBLAS_INCLUDE_DIRS ${OpenBLAS_INCLUDE_DIR})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS REQUIRED_VARS OpenBLAS_LIBRARIES
                                  VERSION_VAR OpenBLAS_VERSION)

if(OpenBLAS_FOUND)
  if(NOT TARGET OpenBLAS::OpenBLAS)
    add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
    target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_LIBRARIES})
    target_include_directories(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_INCLUDE_DIRS})
  endif()
  set(OpenBLAS_LIBRARIES OpenBLAS::OpenBLAS)
endif()
