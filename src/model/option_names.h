#pragma once

#include <optional>
#include <string_view>

#include <mercer/block_model.h>
#include <mercer/greedy.h>

namespace mercer::model {

// Names of options in files and summaries, and back.

const char* option_name(PivotRule rule);
const char* option_name(DeflationRule rule);
const char* option_name(MergeForm form);

std::optional<PivotRule> pivot_rule(std::string_view name);
std::optional<DeflationRule> deflation_rule(std::string_view name);
std::optional<MergeForm> merge_form(std::string_view name);

}  // namespace mercer::model
