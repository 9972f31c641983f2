#include "cli/block_flags.h"

#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "cli/named_values.h"

namespace mercer::cli {
namespace {

constexpr Names<PivotRule, 4> kPivotRules{{{"sampled_best", PivotRule::sampled_best},
                                           {"best", PivotRule::best},
                                           {"max_residual", PivotRule::max_residual},
                                           {"random", PivotRule::random}}};
constexpr Names<Partition, 3> kPartitions{
    {{"order", Partition::in_order}, {"random", Partition::random}, {"label", Partition::labels}}};
constexpr Names<Refine, 3> kRefinements{
    {{"none", Refine::none}, {"reproject", Refine::reproject}, {"two_level", Refine::two_level}}};
constexpr Names<MergeForm, 2> kForms{
    {{"coefficients", MergeForm::coefficients}, {"cholesky", MergeForm::cholesky}}};
constexpr Names<DeflationRule, 2> kDeflationRules{
    {{"relative", DeflationRule::relative}, {"cumulative", DeflationRule::cumulative}}};

std::vector<const char*> names_of(std::initializer_list<std::pair<bool, const char*>> options) {
  std::vector<const char*> names;
  for (const auto& [is_given, name] : options)
    if (is_given) names.push_back(name);
  return names;
}

}  // namespace

void LibraryFlags::add(Arguments& arguments) {
  arguments
      .option(
          "--pivot-rule", "NAME", pivot_rule,
          "Which row joins the library next: sampled_best (default: the best of a few "
          "candidates), best (of all rows, at the price of a kernel matrix a row), max_residual "
          "(the worst represented), random (in proportion to that)")
      .one_of(all_names(kPivotRules));
  arguments.option("--candidates", "K", candidates,
                   "Rows drawn to choose among: by sampled_best (default 10), for each kernel "
                   "feature (default all; the best of 59 is in the best twentieth 19 times in 20)");
  arguments.option(
      "--mse", "E", mse,
      "Enough when the mean squared distance of the rows from the span of the library "
      "is at most E (default: 1e-3 of the mean k(x, x), unless another limit is given)");
  arguments.option("--max-error", "E", max_error,
                   "Enough when no row has a squared distance above E");
  arguments.option("--max-library", "S", max_library, "At most S rows (of every block)");
}

LibraryOptions LibraryFlags::options() const {
  if (candidates && pivot_rule && *pivot_rule != "sampled_best")
    throw UsageError(
        fmt::format("--candidates is for the pivot rule sampled_best; {} has none", *pivot_rule));
  LibraryOptions options;
  assign_named(pivot_rule, kPivotRules, options.rule);
  if (candidates) options.candidates = *candidates;
  options.mse = mse;
  options.max_error = max_error;
  options.max_library = max_library;
  options.validate();
  return options;
}

std::vector<const char*> LibraryFlags::given() const {
  return names_of({{pivot_rule.has_value(), "--pivot-rule"},
                   {candidates.has_value(), "--candidates"},
                   {mse.has_value(), "--mse"},
                   {max_error.has_value(), "--max-error"},
                   {max_library.has_value(), "--max-library"}});
}

void DeflationFlags::add(Arguments& arguments) {
  arguments
      .option("--merge-form", "NAME", form,
              "coefficients (default: all points of both libraries), cholesky (without those that "
              "depend on others: for parts that share rows)")
      .one_of(all_names(kForms));
  add_without_form(arguments);
}

void DeflationFlags::add_without_form(Arguments& arguments) {
  arguments.option("--deflate", "F", deflate,
                   "Blocks and merges keep the fewest components that have this fraction of the "
                   "variance, e.g. 0.9999 (default: all)");
  arguments
      .option("--deflate-rule", "NAME", rule,
              "Fraction of what: relative (default: of the variance at hand; every merge loses "
              "again), cumulative (of all, what was lost before included)")
      .one_of(all_names(kDeflationRules));
  arguments.option("--max-components", "R", max_components, "And no more than R components");
}

MergeOptions DeflationFlags::options() const {
  if (deflate && !(*deflate > 0 && *deflate <= 1))
    throw UsageError(fmt::format(
        "--deflate is {:g}: it is the fraction of the variance that stays, above 0 and at most 1",
        *deflate));
  if (rule && !deflate)
    throw UsageError("--deflate-rule says what --deflate is a fraction of; give that too");
  MergeOptions options;
  assign_named(form, kForms, options.form);
  if (deflate) options.keep = *deflate;
  assign_named(rule, kDeflationRules, options.rule);
  options.max_components = max_components;
  options.validate();
  return options;
}

std::vector<const char*> DeflationFlags::given() const {
  return names_of({{form.has_value(), "--merge-form"},
                   {deflate.has_value(), "--deflate"},
                   {rule.has_value(), "--deflate-rule"},
                   {max_components.has_value(), "--max-components"}});
}

BlockFitOptions block_fit_options(const ComponentFlags& components) {
  BlockFitOptions options;
  if (components.components) options.components = *components.components;
  options.retain = components.retain;
  options.min_eigenvalue = components.min_eigenvalue;
  options.validate();
  return options;
}

void BlockFlags::add(Arguments& arguments) {
  arguments.group("Greedy libraries");
  library.add(arguments);
  arguments.group("Blocks of rows (partitioned)");
  const Argument count = arguments.option("--blocks", "C", blocks, "How many blocks");
  arguments.option("--block-size", "B", block_size, "Rows in a block (default 2000)")
      .excludes(count);
  arguments
      .option("--partition", "HOW", partition,
              "Which rows make a block: order (default: consecutive ones), random, label (those "
              "with the same label); the last two in memory")
      .one_of(all_names(kPartitions));
  arguments
      .option("--refine", "HOW", refine,
              "two_level (default: a second choice among the libraries of the blocks, and a second "
              "pass over the rows), reproject (a second pass with all of them), none (the blocks "
              "are merged, each row seen once)")
      .one_of(all_names(kRefinements));
  deflation.add(arguments);
}

GreedyOptions BlockFlags::greedy_options(const ComponentFlags& components) const {
  GreedyOptions options;
  components.apply(options);
  options.library = library.options();
  options.validate();
  return options;
}

PartitionedOptions BlockFlags::partitioned_options(const ComponentFlags& components) const {
  const auto of_merges = deflation.given();
  if (!of_merges.empty() && refine.value_or("two_level") != "none")
    throw UsageError(
        fmt::format("{} is for blocks that are merged; add --refine none", of_merges.front()));
  if (partition == "label" && (blocks || block_size))
    throw UsageError(fmt::format("with --partition label the labels make the blocks; leave out {}",
                                 blocks ? "--blocks" : "--block-size"));
  PartitionedOptions options;
  components.apply(options);
  options.blocks = blocks;
  options.block_size = block_size;
  options.partition = Partition::in_order;
  assign_named(partition, kPartitions, options.partition);
  options.library = library.options();
  options.merge = deflation.options();
  options.refine = Refine::two_level;
  assign_named(refine, kRefinements, options.refine);
  options.validate();
  return options;
}

std::vector<const char*> BlockFlags::given() const {
  std::vector<const char*> names = names_of({{blocks.has_value(), "--blocks"},
                                             {block_size.has_value(), "--block-size"},
                                             {partition.has_value(), "--partition"},
                                             {refine.has_value(), "--refine"}});
  const auto of_merges = deflation.given();
  names.insert(names.end(), of_merges.begin(), of_merges.end());
  return names;
}

}  // namespace mercer::cli
