#include "model/json_schema.h"

#include <set>

#include <nlohmann/json.hpp>

#include "model/temporary_folder.h"

namespace mercer::testing {
namespace {

using nlohmann::json;

class Validator {
 public:
  void check(const json& schema, const json& value, const std::string& place) {
    for (const auto& [keyword, rule] : schema.items())
      check_keyword(keyword, rule, schema, value, place);
  }

  std::vector<std::string> violations;

 private:
  void complain(const std::string& place, const std::string& what) {
    violations.push_back((place.empty() ? "document" : place) + ": " + what);
  }

  void check_keyword(const std::string& keyword, const json& rule, const json& schema,
                     const json& value, const std::string& place) {
    static const std::set<std::string> annotations = {"$schema", "title", "description"};
    if (annotations.contains(keyword)) return;
    if (keyword == "type") {
      if (!has_type(value, rule)) complain(place, "is not of type " + rule.get<std::string>());
    } else if (keyword == "const") {
      if (value != rule) complain(place, "is not " + rule.dump());
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        complain(place, value.dump() + " is not one of " + rule.dump());
    } else if (keyword == "minimum") {
      if (value.is_number() && value < rule) complain(place, "is less than " + rule.dump());
    } else if (keyword == "required") {
      for (const auto& key : rule)
        if (value.is_object() && !value.contains(key))
          complain(place, "lacks " + key.get<std::string>());
    } else if (keyword == "properties") {
      for (const auto& [key, part] : rule.items())
        if (value.is_object() && value.contains(key)) check(part, value[key], place + "/" + key);
    } else if (keyword == "additionalProperties") {
      check_additional(rule, schema, value, place);
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        check(rule, value[i], place + "/" + std::to_string(i));
    } else {
      complain(place, "the schema uses " + keyword + ", which this validator does not know");
    }
  }

  void check_additional(const json& rule, const json& schema, const json& value,
                        const std::string& place) {
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(key)) continue;
      if (rule == false) complain(place, "has an unknown member " + key);
      if (rule.is_object()) check(rule, member, place + "/" + key);
    }
  }

  static bool has_type(const json& value, const json& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return false;
  }
};

}  // namespace

std::vector<std::string> schema_violations(const std::string& schema, const std::string& document) {
  Validator validator;
  validator.check(json::parse(schema), json::parse(document), "");
  return validator.violations;
}

std::vector<std::string> summary_violations(const std::string& document) {
  return schema_violations(read_bytes(MERCER_SOURCE_DIR "/docs/summary.schema.json"), document);
}

}  // namespace mercer::testing
