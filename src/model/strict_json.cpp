#include "model/strict_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

namespace mercer::model {
namespace {

using Json = nlohmann::ordered_json;

// The deepest text of ours is an array of objects inside an object, the widest object a header with
// one entry per tensor. The limits also keep the linear look-up of ordered objects cheap.
constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxMembers = 256;

}  // namespace

Json parse_strict_json(std::string_view text, const std::string& what) {
  std::vector<std::vector<std::string>> open_objects;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        open_objects.emplace_back();
        [[fallthrough]];
      case Json::parse_event_t::array_start:
        if (depth >= kMaxDepth)
          throw FileError(fmt::format("{}: nested more than {} levels deep", what, kMaxDepth));
        break;
      case Json::parse_event_t::object_end:
        open_objects.pop_back();
        break;
      case Json::parse_event_t::key: {
        auto& keys = open_objects.back();
        auto key = parsed.get<std::string>();
        if (std::ranges::find(keys, key) != keys.end())
          throw FileError(fmt::format("{}: the key '{}' appears twice", what, key));
        if (keys.size() == kMaxMembers)
          throw FileError(fmt::format("{}: an object has more than {} members", what, kMaxMembers));
        keys.push_back(std::move(key));
        break;
      }
      default:
        break;
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), check);
  } catch (const Json::exception& e) {
    // The library's own text begins with "[json.exception.parse_error.101] ".
    const std::string_view message = e.what();
    const std::size_t tag_end = message.find("] ");
    throw FileError(
        fmt::format("{}: not valid JSON: {}", what,
                    tag_end == std::string_view::npos ? message : message.substr(tag_end + 2)));
  }
}

ObjectReader::ObjectReader(const Json& object, std::string what)
    : object_(&object), what_(std::move(what)) {
  if (!object.is_object()) throw FileError(fmt::format("{}: must be a JSON object", what_));
}

void ObjectReader::fail(const std::string& key, const std::string& expected) const {
  throw FileError(fmt::format("{}: '{}' must be {}", what_, key, expected));
}

const Json& ObjectReader::member(const char* key, TypeTest is, const char* type) const {
  const auto it = object_->find(key);
  if (it == object_->end()) fail(key, fmt::format("present and {}", type));
  if (!((*it).*is)()) fail(key, type);
  return *it;
}

bool ObjectReader::has(const char* key) const {
  return object_->contains(key);
}

std::string ObjectReader::text(const char* key) const {
  return member(key, &Json::is_string, "a string").get<std::string>();
}

std::uint64_t ObjectReader::count(const char* key) const {
  return member(key, &Json::is_number_unsigned, "a non-negative integer").get<std::uint64_t>();
}

double ObjectReader::number(const char* key) const {
  return member(key, &Json::is_number, "a number").get<double>();
}

bool ObjectReader::flag(const char* key) const {
  return member(key, &Json::is_boolean, "true or false").get<bool>();
}

ObjectReader ObjectReader::object(const char* key) const {
  return {member(key, &Json::is_object, "an object"), fmt::format("{}: '{}'", what_, key)};
}

std::vector<std::string> ObjectReader::texts(const char* key) const {
  std::vector<std::string> result;
  for (const Json& entry : member(key, &Json::is_array, "an array")) {
    if (!entry.is_string()) fail(key, "an array of strings");
    result.push_back(entry.get<std::string>());
  }
  return result;
}

std::vector<std::size_t> ObjectReader::counts(const char* key) const {
  std::vector<std::size_t> result;
  for (const Json& entry : member(key, &Json::is_array, "an array")) {
    if (!entry.is_number_unsigned()) fail(key, "an array of non-negative integers");
    result.push_back(entry.get<std::size_t>());
  }
  return result;
}

std::vector<double> ObjectReader::numbers(const char* key) const {
  std::vector<double> result;
  for (const Json& entry : member(key, &Json::is_array, "an array")) {
    if (!entry.is_number()) fail(key, "an array of numbers");
    result.push_back(entry.get<double>());
  }
  return result;
}

std::vector<ObjectReader> ObjectReader::objects(const char* key) const {
  std::vector<ObjectReader> result;
  for (const Json& entry : member(key, &Json::is_array, "an array"))
    result.emplace_back(entry, fmt::format("{}: '{}', entry {}", what_, key, result.size() + 1));
  return result;
}

std::vector<std::pair<std::string, double>> ObjectReader::all_numbers() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& [key, value] : object_->items()) {
    if (!value.is_number()) fail(key, "a number");
    result.emplace_back(key, value.get<double>());
  }
  return result;
}

std::vector<std::pair<std::string, ObjectReader>> ObjectReader::all_objects() const {
  std::vector<std::pair<std::string, ObjectReader>> result;
  for (const auto& [key, value] : object_->items())
    result.emplace_back(key, ObjectReader(value, fmt::format("{}: '{}'", what_, key)));
  return result;
}

}  // namespace mercer::model
