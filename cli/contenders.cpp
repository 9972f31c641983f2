#include "cli/contenders.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include <mercer/exact.h>
#include <mercer/feature_analysis.h>
#include <mercer/greedy.h>
#include <mercer/landmarks.h>
#include <mercer/partitioned.h>
#include <mercer/random_features.h>
#include <mercer/randomized.h>
#include <mercer/reduced_set.h>

namespace mercer::cli {
namespace {

using Range = std::optional<std::string> ContenderFlags::*;
using FitFunction = decltype(Contender::fit);

struct Problem {
  std::size_t components = 10;
  bool center = true;
};

/// One method: what it is varied by, over what when nothing is said, and how it is fitted.
struct Method {
  const char* name;
  const char* parameter;  ///< empty: nothing
  Range range;
  std::vector<double> usual;
  bool counts_rows;  ///< the parameter is a number of rows
  std::function<FitFunction(const Problem& problem, double value)> fit;
};

template <class Options>
Options problem_of(const Problem& problem) {
  Options options;
  options.components = problem.components;
  options.center = problem.center;
  return options;
}

std::size_t count(double value) {
  return static_cast<std::size_t>(value);
}

FitFunction fit_exactly(const Problem& problem, double) {
  return [problem](auto points, const Kernel& kernel, const RunOptions& run) {
    return fit_exact(points, kernel, problem_of<ExactOptions>(problem), run);
  };
}

FitFunction fit_by_landmarks(const Problem& problem, double value) {
  return [=](auto points, const Kernel& kernel, const RunOptions& run) {
    auto options = problem_of<LandmarkOptions>(problem);
    options.landmarks = count(value);
    return fit_landmarks(points, kernel, options, run);
  };
}

auto fit_by_reduction(Reduction reduction) {
  return [reduction](const Problem& problem, double value) -> FitFunction {
    return [=](auto points, const Kernel& kernel, const RunOptions& run) {
      auto options = problem_of<ReducedSetOptions>(problem);
      options.reduction.method = reduction;
      if (reduction == Reduction::shadow) {
        options.reduction.ell = value;
      } else {
        options.reduction.centers = count(value);
      }
      return fit_reduced_set(points, kernel, options, run);
    };
  };
}

FitFunction fit_greedily(const Problem& problem, double value) {
  return [=](auto points, const Kernel& kernel, const RunOptions& run) {
    auto options = problem_of<GreedyOptions>(problem);
    options.library.max_library = count(value);
    return fit_greedy(points, kernel, options, run);
  };
}

FitFunction fit_by_blocks(const Problem& problem, double value) {
  return [=](auto points, const Kernel& kernel, const RunOptions& run) {
    auto options = problem_of<PartitionedOptions>(problem);
    options.blocks = count(value);
    return fit_partitioned(points, kernel, options, run);
  };
}

FitFunction fit_by_frequencies(const Problem& problem, double value) {
  return [=](auto points, const Kernel& kernel, const RunOptions& run) {
    auto options = problem_of<RandomFeatureOptions>(problem);
    options.features = count(value);
    return fit_random_features(points, kernel, options, run);
  };
}

FitFunction fit_sparsified(const Problem& problem, double value) {
  return [=](auto points, const Kernel& kernel, const RunOptions& run) {
    auto options = problem_of<RandomizedOptions>(problem);
    options.sparsify = value;
    return fit_randomized(points, kernel, options, run);
  };
}

auto fit_features(FeatureRule rule) {
  return [rule](const Problem& problem, double value) -> FitFunction {
    return [=](auto points, const Kernel& kernel, const RunOptions& run) {
      FeatureAnalysisOptions options;
      options.rule = rule;
      options.features = problem.components;
      options.center = problem.center;
      if (rule == FeatureRule::ackfa) options.delta = value;
      return fit_feature_analysis(points, kernel, options, run);
    };
  };
}

const std::vector<Method>& all_methods() {
  using Flags = ContenderFlags;
  static const std::vector<double> sizes{50, 100, 200, 500};
  static const std::vector<Method> methods{
      {"exact", "", nullptr, {}, false, fit_exactly},
      {"landmarks", "landmarks", &Flags::landmarks, sizes, true, fit_by_landmarks},
      {"shadow", "ell", &Flags::ell, {3, 4, 5}, false, fit_by_reduction(Reduction::shadow)},
      {"kmeans", "centers", &Flags::centers, sizes, true, fit_by_reduction(Reduction::kmeans)},
      {"paring", "centers", &Flags::centers, sizes, true, fit_by_reduction(Reduction::paring)},
      {"herding", "centers", &Flags::centers, sizes, true, fit_by_reduction(Reduction::herding)},
      {"greedy", "max_library", &Flags::max_library, sizes, true, fit_greedily},
      {"partitioned", "blocks", &Flags::blocks, {4}, true, fit_by_blocks},
      {"random_features",
       "frequencies",
       &Flags::frequencies,
       {256, 1024},
       false,
       fit_by_frequencies},
      {"randomized", "sparsify", &Flags::sparsify, {5, 10}, false, fit_sparsified},
      {"akfa", "", nullptr, {}, false, fit_features(FeatureRule::akfa)},
      {"ackfa", "delta", &Flags::delta, {0.1, 0.3}, false, fit_features(FeatureRule::ackfa)},
      {"skfa", "", nullptr, {}, false, fit_features(FeatureRule::skfa)}};
  return methods;
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t comma = list.find(',');
    words.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    list.remove_prefix(comma + 1);
  }
}

std::string method_names() {
  std::vector<std::string> names;
  for (const Method& method : all_methods()) names.emplace_back(method.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const Method& method_named(const std::string& name) {
  const auto& methods = all_methods();
  const auto found = std::ranges::find(methods, name, &Method::name);
  if (found == methods.end())
    throw UsageError(
        fmt::format("there is no method '{}' to compare; there are {}", name, method_names()));
  return *found;
}

std::string option_of(const Method& method) {
  std::string option = std::string("--") + method.parameter;
  std::ranges::replace(option, '_', '-');
  return option;
}

std::vector<double> numbers_of(const Method& method, const std::string& list) {
  std::vector<double> numbers;
  for (const std::string& word : words_of(list)) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = !method.counts_rows || value == static_cast<double>(count(value));
    if (error != std::errc{} || end != word.data() + word.size() || !(value > 0) || !whole)
      throw UsageError(fmt::format("{}: '{}' is not a positive {}", option_of(method), word,
                                   method.counts_rows ? "whole number" : "number"));
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

void ContenderFlags::add(Arguments& arguments) {
  arguments.group("Methods and the ranges they are varied over (lists: 100,200,500)");
  arguments.option("--methods", "LIST", methods,
                   "Of " + method_names() + " (default exact,landmarks,shadow)");
  arguments.option("--baseline", "NAME", baseline,
                   "What the others are measured against (default exact, else the first)");
  arguments.option("--components", "K", components, "Components of all of them (default 10)");
  arguments.flag("--no-center", no_center, "Do not subtract the mean in feature space");
  arguments.option("--landmarks", "LIST", landmarks, "landmarks (default 50,100,200,500)");
  arguments.option("--ell", "LIST", ell, "shadow: shadows to a length scale (default 3,4,5)");
  arguments.option("--centers", "LIST", centers,
                   "kmeans, paring and herding (default 50,100,200,500)");
  arguments.option("--max-library", "LIST", max_library, "greedy (default 50,100,200,500)");
  arguments.option("--blocks", "LIST", blocks, "partitioned (default 4)");
  arguments.option("--frequencies", "LIST", frequencies, "random_features (default 256,1024)");
  arguments.option("--sparsify", "LIST", sparsify,
                   "randomized: one entry in so many is computed (default 5,10)");
  arguments.option("--delta", "LIST", delta, "ackfa (default 0.1,0.3)");
}

std::vector<Contender> ContenderFlags::contenders(std::size_t rows) const {
  const Problem problem{.components = components.value_or(10), .center = !no_center};
  std::vector<Contender> result;
  std::vector<Range> used;
  for (const std::string& name : words_of(methods)) {
    const Method& method = method_named(name);
    if (std::ranges::count(result, name, &Contender::method) > 0)
      throw UsageError(fmt::format("--methods has {} twice", name));
    if (method.range == nullptr) {
      result.push_back({.method = name, .fit = method.fit(problem, 0)});
      continue;
    }
    used.push_back(method.range);
    const auto& list = this->*method.range;
    for (const double value : list ? numbers_of(method, *list) : method.usual) {
      if (method.counts_rows && value > static_cast<double>(rows) && !list) continue;
      result.push_back({.method = name,
                        .parameter = method.parameter,
                        .value = value,
                        .fit = method.fit(problem, value)});
    }
  }
  for (const Method& method : all_methods())
    if (method.range != nullptr && this->*method.range &&
        std::ranges::count(used, method.range) == 0)
      throw UsageError(fmt::format("{} is for methods that do not take part", option_of(method)));
  if (result.empty())
    throw UsageError("the table has too few rows for the usual sizes: give them with options");
  return result;
}

std::size_t ContenderFlags::baseline_among(const std::vector<Contender>& contenders) const {
  const auto find = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(contenders, name, &Contender::method) -
                                    contenders.begin());
  };
  if (!baseline) {
    const std::size_t exact = find("exact");
    return exact < contenders.size() ? exact : 0;
  }
  const std::size_t named = find(*baseline);
  if (named == contenders.size())
    throw UsageError(fmt::format("--baseline {} is not among the methods", *baseline));
  return named;
}

}  // namespace mercer::cli
