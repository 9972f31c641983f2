#pragma once

#include <cstddef>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace mercer::bench {

struct NpyArray {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> values;  ///< row-major
};

/// Reads the points that bench/run wrote (NPY version 1, little-endian doubles, two dimensions),
/// for programs that must not link mercer.
inline NpyArray read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char preamble[10] = {};
  file.read(reinterpret_cast<char*>(preamble), sizeof preamble);
  std::string header(preamble[8] + 256U * preamble[9], ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  std::smatch shape;
  if (!file || !std::regex_search(header, shape, std::regex(R"(\((\d+), (\d+)\))"))) {
    throw std::runtime_error(path + " has no NPY header of two dimensions");
  }
  NpyArray array{.rows = std::stoul(shape[1]), .cols = std::stoul(shape[2]), .values = {}};
  array.values.resize(array.rows * array.cols);
  file.read(reinterpret_cast<char*>(array.values.data()),
            static_cast<std::streamsize>(array.values.size() * sizeof(double)));
  if (!file) throw std::runtime_error(path + " ends too early");
  return array;
}

}  // namespace mercer::bench
