#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>
#include <mercer/summary.h>

#include "model/error_message.h"
#include "model/example_summary.h"
#include "model/json_schema.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

using testing::feature_summary;
using testing::full_summary;
using testing::message_of;
using testing::schema_violations;
using testing::summary_violations;

TEST(SummaryJson, FollowsTheCommittedSchema) {
  EXPECT_EQ(summary_violations(full_summary().json()), std::vector<std::string>{});
  EXPECT_EQ(summary_violations(feature_summary().json()), std::vector<std::string>{});
  EXPECT_EQ(summary_violations(Summary{}.json()), std::vector<std::string>{});
}

TEST(SummaryJson, SchemaAgreesWithAnIndependentValidator) {
  if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-jsonschema is not installed";
  const testing::TemporaryFolder folder;
  testing::write_bytes(folder / "full.json", full_summary().json());
  testing::write_bytes(folder / "empty.json", Summary{}.json());
  testing::write_bytes(folder / "wrong.json", R"({"schema_version": 1})");
  const auto status = [&](const std::string& file) {
    return std::system(fmt::format("/usr/bin/python3 -W ignore -c 'import json, jsonschema, sys\n"
                                   "schema = json.load(open(sys.argv[1]))\n"
                                   "jsonschema.Draft202012Validator.check_schema(schema)\n"
                                   "jsonschema.Draft202012Validator(schema).validate("
                                   "json.load(open(sys.argv[2])))' '{}' '{}' 2>/dev/null",
                                   MERCER_SOURCE_DIR "/docs/summary.schema.json",
                                   (folder / file).string())
                           .c_str());
  };
  EXPECT_EQ(status("full.json"), 0);
  EXPECT_EQ(status("empty.json"), 0);
  EXPECT_NE(status("wrong.json"), 0);
}

TEST(SummaryJson, ValidatorSeesEachKindOfViolation) {
  const auto broken = [](auto change) {
    nlohmann::json json = nlohmann::json::parse(full_summary().json());
    change(json);
    return summary_violations(json.dump());
  };
  EXPECT_EQ(broken([](auto& j) { j["surprise"] = 1; }),
            std::vector<std::string>{"document: has an unknown member surprise"});
  EXPECT_EQ(broken([](auto& j) { j.erase("seed"); }),
            std::vector<std::string>{"document: lacks seed"});
  EXPECT_EQ(broken([](auto& j) { j["n"] = 1.5; }),
            std::vector<std::string>{"/n: is not of type integer"});
  EXPECT_EQ(broken([](auto& j) { j["n"] = -1; }), std::vector<std::string>{"/n: is less than 0"});
  EXPECT_EQ(broken([](auto& j) { j["schema_version"] = 2; }),
            std::vector<std::string>{"/schema_version: is not 1"});
  EXPECT_EQ(broken([](auto& j) { j["termination"]["reason"] = "tired"; }).size(), 1u);
  EXPECT_EQ(broken([](auto& j) { j["eigenvalues"][1] = nullptr; }),
            std::vector<std::string>{"/eigenvalues/1: is not of type number"});
  EXPECT_EQ(broken([](auto& j) { j["bounds"]["operator_norm"].erase("rigorous"); }),
            std::vector<std::string>{"/bounds/operator_norm: lacks rigorous"});
  EXPECT_EQ(schema_violations(R"({"maxLength": 3})", R"("text")").size(), 1u);
}

TEST(SummaryJson, UsesTheDocumentedShapes) {
  const auto json = nlohmann::json::parse(full_summary().json());
  EXPECT_EQ(json["kernel"]["name"], "rational_quadratic");
  EXPECT_EQ(json["kernel"]["parameters"]["alpha"], 0.1);
  EXPECT_EQ(json["total_variance"]["low"], 3000.25);
  EXPECT_EQ(json["bounds"]["operator_norm"]["rigorous"], true);
  EXPECT_EQ(json["phases"][1]["name"], "eigenpairs");
  EXPECT_EQ(json["termination"]["reason"], "not_converged");
  EXPECT_EQ(json["choices"][0]["why"], "median distance of 1000 rows");
  EXPECT_EQ(json["seed"], 18446744073709551615u);
  EXPECT_EQ(json["features"], 2048);
  EXPECT_EQ(json["compression"]["components"][1]["measured"], 0.08);
}

TEST(SummaryJson, OfFeaturesHasGainsAndTheErrorCurve) {
  const auto json = nlohmann::json::parse(feature_summary().json());
  EXPECT_EQ(json["gains"], (std::vector<double>{0.25, 0.3125, 0.0625}));
  EXPECT_EQ(json["reconstruction_error"], 0.125);
  ASSERT_EQ(json["error_curve"].size(), 4u);
  EXPECT_EQ(json["error_curve"][2]["size"], 2);
  EXPECT_EQ(json["error_curve"][2]["error"], 0.1875);
}

TEST(SummaryJson, KeysWithoutMeaningAreAbsent) {
  const auto json = nlohmann::json::parse(Summary{}.json());
  for (const char* key :
       {"total_variance", "residual_trace_fraction", "reconstruction_error", "solver_residual",
        "bounds", "explained_variance_ratio", "peak_memory_bytes", "memory_limit_bytes", "threads",
        "simd", "blas", "features", "compression", "gains", "error_curve", "negative_eigenvalues"})
    EXPECT_FALSE(json.contains(key)) << key;
}

TEST(SummaryJson, ComesBackEqual) {
  for (const Summary& summary : {full_summary(), feature_summary(), Summary{}}) {
    const Summary copy = Summary::from_json(summary.json());
    EXPECT_EQ(copy.json(), summary.json());
    EXPECT_EQ(copy.full(), summary.full());
    EXPECT_EQ(copy.kernel_parameters, summary.kernel_parameters);
    EXPECT_EQ(copy.eigenvalues, summary.eigenvalues);
    EXPECT_EQ(copy.gains, summary.gains);
    ASSERT_EQ(copy.error_curve.size(), summary.error_curve.size());
    for (std::size_t i = 0; i < copy.error_curve.size(); ++i) {
      EXPECT_EQ(copy.error_curve[i].size, summary.error_curve[i].size);
      EXPECT_EQ(copy.error_curve[i].error, summary.error_curve[i].error);
    }
    EXPECT_EQ(copy.termination.reason, summary.termination.reason);
  }
}

TEST(SummaryJson, NumbersThatJsonCannotHoldAreLeftOut) {
  Summary summary = full_summary();
  summary.solver_residual = std::nan("");
  summary.reconstruction_error = std::numeric_limits<double>::infinity();
  summary.bounds[0].value = std::numeric_limits<double>::infinity();
  summary.total_variance->high = std::nan("");
  const std::string text = summary.json();
  EXPECT_EQ(summary_violations(text), std::vector<std::string>{});
  const auto json = nlohmann::json::parse(text);
  EXPECT_FALSE(json.contains("solver_residual"));
  EXPECT_FALSE(json.contains("reconstruction_error"));
  EXPECT_FALSE(json.contains("total_variance"));
  EXPECT_FALSE(json["bounds"].contains("operator_norm"));
  EXPECT_TRUE(json["bounds"].contains("eigenvalue_gap"));
}

TEST(SummaryJson, BadBytesInAWarningDoNotSpoilTheText) {
  Summary summary;
  summary.warnings = {
      "file Gr\xf6\xdf"
      "e.csv"};
  EXPECT_EQ(summary_violations(summary.json()), std::vector<std::string>{});
}

TEST(SummaryJson, OneMemberPerLine) {
  const std::string text = full_summary().json();
  const auto members = nlohmann::json::parse(text).size();
  EXPECT_EQ(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(members) + 1);
}

TEST(SummaryFromJson, SaysWhatIsWrong) {
  const auto refusal = [](const std::string& text) {
    return message_of<FileError>([&] { Summary::from_json(text); });
  };
  EXPECT_NE(refusal("hello").find("summary: not valid JSON"), std::string::npos);
  EXPECT_EQ(refusal("[]"), "summary: must be a JSON object");
  EXPECT_EQ(refusal("{}"), "summary: 'schema_version' must be present and a non-negative integer");
  EXPECT_NE(refusal(R"({"schema_version":2})").find("schema version 2, but this library reads"),
            std::string::npos);
  auto json = nlohmann::json::parse(full_summary().json());
  json["termination"]["reason"] = "tired";
  EXPECT_EQ(refusal(json.dump()), "summary: 'tired' is no reason for termination");
}

TEST(SummaryFromJson, IgnoresKeysOfLaterVersions) {
  auto json = nlohmann::json::parse(full_summary().json());
  json["invented_later"] = {1, 2, 3};
  EXPECT_EQ(Summary::from_json(json.dump()).n, full_summary().n);
}

}  // namespace
}  // namespace mercer
