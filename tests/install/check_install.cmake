# Installs mercer, moves the installed tree, builds an outside project against it and runs that.
#   cmake -D SOURCE=... -D WORK=... -D COMPILER=... -D FLAGS=... [-D BUILD=...] -P check_install.cmake
# With BUILD the tree that is already built there is installed; without, mercer is built as a shared
# library in WORK first.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${code}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK}/first ${WORK}/moved ${WORK}/outside)
if(NOT BUILD)
  set(BUILD ${WORK}/build)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G Ninja -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
      -D CMAKE_CXX_FLAGS=${FLAGS} -D BUILD_SHARED_LIBS=ON)
  run(${CMAKE_COMMAND} --build ${BUILD})
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)

# The package must not lead back to the trees it was made in.
file(GLOB_RECURSE package_files ${WORK}/moved/*.cmake)
foreach(file IN LISTS package_files)
  file(READ ${file} text)
  foreach(place ${SOURCE} ${BUILD} ${WORK}/first)
    string(FIND "${text}" "${place}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${place}, so the installed tree cannot be moved")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${SOURCE}/tests/compat/outside_project -B ${WORK}/outside -G Ninja
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS}
    -D CMAKE_PREFIX_PATH=${WORK}/moved)
run(${CMAKE_COMMAND} --build ${WORK}/outside)
run(${WORK}/outside/outside ${WORK}/outside/outside.mercer)
run(${WORK}/moved/bin/mercer --version)
