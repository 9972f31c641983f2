#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace mercer::model {

/// Parses JSON that may come from a damaged or hostile file. Beyond the grammar it refuses repeated
/// keys (readers disagree about which one counts), bad UTF-8, numbers outside the double range, and
/// nesting or objects larger than any of ours. Throws FileError that begins with `what`.
nlohmann::ordered_json parse_strict_json(std::string_view text, const std::string& what);

/// Typed access to the members of an object. Everything that is missing or of another type is a
/// FileError that begins with `what` and names the member.
class ObjectReader {
 public:
  /// `object` must outlive the reader. Throws FileError when it is not an object.
  ObjectReader(const nlohmann::ordered_json& object, std::string what);

  bool has(const char* key) const;
  std::string text(const char* key) const;
  std::uint64_t count(const char* key) const;
  double number(const char* key) const;
  bool flag(const char* key) const;
  ObjectReader object(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  std::vector<std::size_t> counts(const char* key) const;
  std::vector<double> numbers(const char* key) const;
  std::vector<ObjectReader> objects(const char* key) const;

  /// All members, which must be numbers, in the order of the text.
  std::vector<std::pair<std::string, double>> all_numbers() const;
  /// All members, which must be objects, in the order of the text.
  std::vector<std::pair<std::string, ObjectReader>> all_objects() const;

 private:
  using TypeTest = bool (nlohmann::ordered_json::*)() const noexcept;
  const nlohmann::ordered_json& member(const char* key, TypeTest is, const char* type) const;
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const;

  const nlohmann::ordered_json* object_;
  std::string what_;
};

}  // namespace mercer::model
