#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mercer/mercer.h>

namespace mercer::python {

/// Puts the entries of a dict where they belong. What is wrong with one is an InvalidArgument (or
/// a TypeError) that names it; so is, in the end, an entry that nobody asked for.
class OptionReader {
 public:
  explicit OptionReader(pybind11::dict given) : given_(std::move(given)) {}

  template <class T>
  void take(const char* name, T& target) {
    known_.emplace_back(name);
    if (!given_.contains(name)) return;
    try {
      target = pybind11::cast<T>(given_[name]);
    } catch (const pybind11::cast_error&) {
      refuse(name);
    }
  }

  /// One of a few words.
  template <class Enum>
  void take_word(const char* name, Enum& target,
                 std::initializer_list<std::pair<const char*, Enum>> words) {
    std::string word;
    take(name, word);
    if (!given_.contains(name)) return;
    std::string all;
    for (const auto& [known, value] : words) {
      if (word == known) {
        target = value;
        return;
      }
      all += all.empty() ? known : std::string(", ") + known;
    }
    throw InvalidArgument(std::string(name) + " is '" + word + "': it must be one of " + all);
  }

  /// Throws InvalidArgument naming what `method` does not know, and what it does.
  void finish(const std::string& method) const;

 private:
  [[noreturn]] void refuse(const char* name) const;

  pybind11::dict given_;
  std::vector<std::string> known_;
};

// Options by the names of the command line, with underscores.
void read(OptionReader& reader, AutoOptions& options);
void read(OptionReader& reader, ExactOptions& options);
void read(OptionReader& reader, LandmarkOptions& options);
void read(OptionReader& reader, RandomFeatureOptions& options);
void read(OptionReader& reader, GreedyOptions& options);
void read(OptionReader& reader, PartitionedOptions& options);
void read(OptionReader& reader, ReducedSetOptions& options);
void read(OptionReader& reader, FeatureAnalysisOptions& options);
void read(OptionReader& reader, RandomizedOptions& options);
void read(OptionReader& reader, KroneckerOptions& options);
void read(OptionReader& reader, LaplacianEigenmapOptions& options);
void read(OptionReader& reader, DiffusionMapOptions& options);
void read(OptionReader& reader, IncrementalOptions& options);
void read(OptionReader& reader, BlockFitOptions& options);
void read(OptionReader& reader, SparseDistanceOptions& options);
void read(OptionReader& reader, PreimageOptions& options);

/// All options of a method from one dict.
template <class Options>
Options read_options(const pybind11::dict& given, const std::string& method, Options options = {}) {
  OptionReader reader(given);
  read(reader, options);
  reader.finish(method);
  return options;
}

}  // namespace mercer::python
