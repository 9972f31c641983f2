// Writes the models that tests/compat keeps for ever: once per format version, into
// tests/compat/models/VERSION, which is then committed.
//
//   build/release/tests/compat/write_compat_models tests/compat/models/1

#include <cstdio>
#include <exception>
#include <filesystem>

#include "compat/example_models.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_compat_models FOLDER\n", stderr);
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    mercer::compat::write_models(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "write_compat_models: %s\n", e.what());
    return 1;
  }
  return 0;
}
