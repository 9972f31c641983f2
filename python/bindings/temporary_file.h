#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/error.h>

namespace mercer::python {

/// A file in a folder of its own that is gone with this object: what the library saves to files
/// only passes through it when it is pickled.
class TemporaryFile {
 public:
  TemporaryFile()
      : folder_(pybind11::module_::import("tempfile").attr("TemporaryDirectory")()),
        path_(pybind11::cast<std::string>(folder_.attr("name")) + "/pickled.mercer") {}
  ~TemporaryFile() {
    try {
      folder_.attr("cleanup")();
    } catch (pybind11::error_already_set& error) {
      error.discard_as_unraisable("removing a temporary file of mercer");
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  pybind11::bytes content() const {
    std::ifstream file(path_, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    check(file.bad() || !file.is_open());
    return bytes;
  }
  void fill(const pybind11::bytes& content) const {
    std::ofstream file(path_, std::ios::binary);
    file << static_cast<std::string>(content);
    file.close();
    check(file.fail());
  }

 private:
  void check(bool failed) const {
    if (failed) throw FileError(path_.string() + ": what is pickled passes through this file");
  }

  pybind11::object folder_;
  std::filesystem::path path_;
};

/// Anything with `save(path)` as bytes.
template <class Saved>
pybind11::bytes to_bytes(const Saved& saved) {
  const TemporaryFile file;
  saved.save(file.path());
  return file.content();
}

/// The inverse, by a function that loads a path.
template <class Load>
auto from_bytes(const pybind11::bytes& bytes, Load load) {
  const TemporaryFile file;
  file.fill(bytes);
  return load(file.path());
}

}  // namespace mercer::python
