#include "model/option_names.h"

#include <initializer_list>

namespace mercer::model {

namespace {

template <class Option>
std::optional<Option> by_name(std::string_view name, std::initializer_list<Option> options) {
  for (const Option option : options) {
    if (name == option_name(option)) return option;
  }
  return std::nullopt;
}

}  // namespace

const char* option_name(PivotRule rule) {
  switch (rule) {
    case PivotRule::sampled_best:
      return "sampled_best";
    case PivotRule::best:
      return "best";
    case PivotRule::max_residual:
      return "max_residual";
    case PivotRule::random:
      return "random";
  }
  return "";
}

const char* option_name(DeflationRule rule) {
  switch (rule) {
    case DeflationRule::relative:
      return "relative";
    case DeflationRule::cumulative:
      return "cumulative";
  }
  return "";
}

const char* option_name(MergeForm form) {
  switch (form) {
    case MergeForm::coefficients:
      return "coefficients";
    case MergeForm::cholesky:
      return "cholesky";
  }
  return "";
}

std::optional<PivotRule> pivot_rule(std::string_view name) {
  return by_name(
      name, {PivotRule::sampled_best, PivotRule::best, PivotRule::max_residual, PivotRule::random});
}

std::optional<DeflationRule> deflation_rule(std::string_view name) {
  return by_name(name, {DeflationRule::relative, DeflationRule::cumulative});
}

std::optional<MergeForm> merge_form(std::string_view name) {
  return by_name(name, {MergeForm::coefficients, MergeForm::cholesky});
}

}  // namespace mercer::model
