#pragma once

#include <string>
#include <vector>

namespace mercer::testing {

/// The part of JSON Schema that docs/summary.schema.json uses: type, const, enum, minimum,
/// required, properties, additionalProperties, items. A keyword of another kind in the schema is a
/// complaint too, so that the schema cannot outgrow the test unseen. Returns one line for every
/// violation.
std::vector<std::string> schema_violations(const std::string& schema, const std::string& document);

/// The same for docs/summary.schema.json.
std::vector<std::string> summary_violations(const std::string& document);

}  // namespace mercer::testing
