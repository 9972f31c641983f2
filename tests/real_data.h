#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

// Tests on whole data sets, which not every machine has.
namespace mercer::testing {

/// A file of the data sets, or nothing when this machine has not got them.
inline std::filesystem::path data_file(const std::string& name) {
  const char* given = std::getenv("MERCER_DATA");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::path(MERCER_SOURCE_DIR) / ".." / "shared" / "data";
  const auto path = folder / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

}  // namespace mercer::testing

/// Skips the test, saying why, without the file.
#define REQUIRE_DATA(variable, name)                      \
  const auto variable = mercer::testing::data_file(name); \
  if (variable.empty()) GTEST_SKIP() << "MERCER_DATA has no " << (name)
