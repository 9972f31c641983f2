// What holds of merged models for any data: nothing is lost unaccounted for, and every bound is
// one.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/block_model.h>
#include <mercer/exact.h>

#include "methods/merge_oracle.h"
#include "numbers.h"

namespace mercer {
namespace {

/// Variances of two orders of merges, relative to the trace: components below 1e-10 of the largest
/// are dropped on different ways. 5e-11 at most in 12,000 cases like those here, and 4e-14 for
/// means, which are never dropped.
constexpr double kOrder = 1e-10;

/// What rounding leaves of identities, relative. A pivot d is known to 1e-16 k(x, x) / d of itself,
/// and its column is off by as much. Rows that the rules take have a large d, except in the last
/// steps of a merge in the Cholesky form, which go down to 1e-10: identities hold to 1e-10 usually,
/// to 4e-9 in the worst of 40,000 cases.
constexpr double kRounding = 1e-8;

/// Rows in a few blocks of any size, some of them copies of others.
struct Parts {
  Matrix<double> points;
  std::vector<std::size_t> ends;
  Kernel kernel;
  BlockOptions options;

  std::vector<BlockModel> blocks() const {
    std::vector<BlockModel> made;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      made.push_back(
          BlockModel::of_rows(points.view().rows_from(first, end - first), kernel, options));
      first = end;
    }
    return made;
  }
};

Parts any_parts() {
  Parts parts;
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(
      *rc::gen::inRange<std::size_t>(2, 6), rc::gen::inRange<std::size_t>(1, 30));
  std::size_t n = 0;
  for (const std::size_t size : sizes) parts.ends.push_back(n += size);
  const auto d = *rc::gen::inRange<std::size_t>(1, 5);
  parts.points = testing::normal_matrix(n, d, *rc::gen::inRange<std::uint64_t>(0, 10000));
  const auto copies = *rc::gen::inRange<std::size_t>(0, n / 3 + 1);
  for (std::size_t i = 0; i < copies; ++i) {
    std::ranges::copy(parts.points.row(i), parts.points.row(n - 1 - i).begin());
  }
  parts.kernel = *rc::gen::element<Kernel>(Gaussian{.gamma = 0.3}, Laplacian{.gamma = 0.4},
                                           Polynomial{.gamma = 0.5, .degree = 2}, Linear{});
  parts.options.library = {
      .rule = *rc::gen::element(PivotRule::max_residual, PivotRule::sampled_best, PivotRule::best,
                                PivotRule::random),
      .mse = *rc::gen::element(0.3, 0.05, 1e-3)};
  parts.options.center = *rc::gen::element(true, true, false);
  return parts;
}

BlockModel chain_of(const std::vector<BlockModel>& blocks, const MergeOptions& options) {
  BlockModel all = blocks.front();
  for (std::size_t b = 1; b < blocks.size(); ++b) all = merge(all, blocks[b], options);
  return all;
}

/// Variances with zeros after the last.
double variance(const BlockModel& block, std::size_t i) {
  return i < block.components() ? std::pow(block.singular_values()[i], 2) : 0;
}

RC_GTEST_PROP(BlockModelProperty, OrderAndFormOfMergesDoNotMatter, ()) {
  const Parts parts = any_parts();
  const auto blocks = parts.blocks();
  const auto chain = chain_of(blocks, {});
  const auto tree = merge(blocks);
  const auto cholesky = chain_of(blocks, {.form = MergeForm::cholesky});
  // Points that nearly depend on others carry a little of a block with them when they are dropped:
  // at most twice in every merge, and the rows of the model move by no more than the sum of the
  // roots. (Variances move by more than what is lost: means that moved change later differences.)
  const double slack = kOrder * chain.trace();
  const double root_slack = kRounding * std::sqrt(chain.trace());
  const double moved =
      std::sqrt(2 * static_cast<double>(blocks.size()) * (cholesky.lost() + cholesky.lost_mean()));
  RC_ASSERT(cholesky.library_size() <= chain.library_size());
  RC_ASSERT(tree.rows() == parts.points.rows());
  for (std::size_t i = 0; i < chain.components(); ++i) {
    RC_ASSERT(std::abs(variance(chain, i) - variance(tree, i)) <= slack);
    RC_ASSERT(std::abs(std::sqrt(variance(chain, i)) - std::sqrt(variance(cholesky, i))) <=
              moved + root_slack);
  }
  const double mean_slack = slack / chain.total_weight();
  RC_ASSERT(std::abs(chain.mean_norm2() - tree.mean_norm2()) <= mean_slack);
  const double root_weight = std::sqrt(chain.total_weight());
  RC_ASSERT(root_weight *
                std::abs(std::sqrt(chain.mean_norm2()) - std::sqrt(cholesky.mean_norm2())) <=
            moved + root_slack);
  for (const auto* merged : {&chain, &tree, &cholesky}) {
    RC_ASSERT(testing::missing_trace(*merged) < kRounding);
    RC_ASSERT(testing::inconsistency(*merged, testing::CountComponents::by_weight) < kRounding);
  }
}

RC_GTEST_PROP(BlockModelProperty, WhatDeflationLosesBoundsEveryVariance, ()) {
  const Parts parts = any_parts();
  const auto blocks = parts.blocks();
  const auto whole = chain_of(blocks, {});
  MergeOptions options{
      .form = *rc::gen::element(MergeForm::coefficients, MergeForm::cholesky),
      .keep = *rc::gen::element(0.7, 0.9, 0.99, 1.0),
      .rule = *rc::gen::element(DeflationRule::relative, DeflationRule::cumulative)};
  if (*rc::gen::element(true, false)) {
    options.max_components = *rc::gen::inRange<std::size_t>(1, 10);
  }
  const bool tree = *rc::gen::element(true, false);
  const auto deflated = tree ? merge(blocks, options) : chain_of(blocks, options);
  // Points that the Cholesky form drops take a little of the means with them, of which only the
  // square is lost; differences of means, and so variances, move by the root.
  const double moved =
      std::sqrt(2 * static_cast<double>(blocks.size()) * deflated.lost_mean() / whole.trace());
  const double slack = (kRounding + 2 * moved + moved * moved) * whole.trace();
  const double lost = deflated.lost() - whole.lost();
  for (std::size_t i = 0; i < whole.components(); ++i) {
    const double difference = variance(whole, i) - variance(deflated, i);
    RC_ASSERT(difference >= -slack);
    RC_ASSERT(difference <= lost + slack);
  }
  RC_ASSERT(testing::missing_trace(deflated) < kRounding);
  RC_ASSERT(testing::inconsistency(deflated, testing::CountComponents::by_weight) < kRounding);
  RC_ASSERT(std::abs(deflated.mean_norm2() - whole.mean_norm2()) <= slack);
  const double total = testing::sum_of_variances(deflated) + deflated.lost();
  RC_ASSERT(std::abs(total - testing::sum_of_variances(whole) - whole.lost()) <= slack);
  if (options.max_components) {
    RC_ASSERT(deflated.components() <= *options.max_components);
  } else if (options.rule == DeflationRule::cumulative) {
    RC_ASSERT(testing::sum_of_variances(deflated) >= options.keep * total - slack);
  } else {
    const double deflations = static_cast<double>(blocks.size() - 1);
    RC_ASSERT(testing::sum_of_variances(deflated) >=
              std::pow(options.keep, deflations) * total - slack);
  }
}

// Whatever was left out, deflated or reduced, on the way: the truth is within the deviation.
RC_GTEST_PROP(BlockModelProperty, ExactSingularValuesAreWithinTheDeviation, ()) {
  const Parts parts = any_parts();
  const auto blocks = parts.blocks();
  const MergeOptions options{
      .form = *rc::gen::element(MergeForm::coefficients, MergeForm::cholesky),
      .keep = *rc::gen::element(0.8, 0.99, 1.0)};
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  BlockModel all = blocks.front();
  for (std::size_t b = 1; b < blocks.size(); ++b) {
    all = merge(all, blocks[b], options).reduced(size);
    RC_ASSERT(testing::missing_trace(all) < kRounding);
  }
  // Of the centred kernel matrix, all of them.
  const std::size_t n = parts.points.rows();
  auto gram = engine::reference::kernel_matrix(parts.kernel, parts.points, parts.points);
  if (parts.options.center) {
    std::vector<double> means(n, 0.0);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (const double value : gram.row(i)) means[i] += value / static_cast<double>(n);
      mean += means[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) gram(i, j) += mean - means[i] - means[j];
    }
  }
  const auto exact = engine::symmetric_eigenvalues(gram);
  // Eigenvalues are known to 1e-16 of the largest, times their number, and these are their roots.
  const double slack = 1e-7 * std::sqrt(all.trace());
  for (std::size_t i = 0; i < n; ++i) {
    const double here = i < all.components() ? all.singular_values()[i] : 0;
    RC_ASSERT(std::abs(std::sqrt(std::max(exact[i], 0.0)) - here) <= all.deviation() + slack);
  }
}

// The bounds of a finished model, against the rows themselves.
RC_GTEST_PROP(BlockModelProperty, BoundsOfFinishedModelsHold, ()) {
  const Parts parts = any_parts();
  const auto all = merge(parts.blocks(), {.keep = *rc::gen::element(0.9, 1.0)});
  if (all.components() == 0) return;
  const Fit fit = all.finish({.components = 3});
  double mean = 0;
  for (const double residual : fit.model.residual(parts.points)) {
    mean += residual / static_cast<double>(parts.points.rows());
  }
  for (const auto& bound : fit.summary.bounds) {
    if (bound.name != "reconstruction_error") continue;
    RC_ASSERT(mean <= bound.value + kRounding * all.trace());
  }
  const Fit exact =
      fit_exact(parts.points, parts.kernel, {.components = 3, .center = parts.options.center});
  for (std::size_t i = 0; i < std::min(fit.summary.components, exact.summary.components); ++i) {
    const auto interval = fit.summary.eigenvalue_intervals[i];
    RC_ASSERT(exact.summary.eigenvalues[i] >= interval.low - kRounding * all.trace());
    RC_ASSERT(exact.summary.eigenvalues[i] <= interval.high + kRounding * all.trace());
  }
}

RC_GTEST_PROP(BlockModelProperty, ThreadsGiveTheSameBits, ()) {
  const Parts parts = any_parts();
  const auto blocks = parts.blocks();
  const auto one = merge(blocks, {.keep = 0.99}, {.threads = 1}).reduced(20, {.threads = 1});
  const auto three = merge(blocks, {.keep = 0.99}, {.threads = 3}).reduced(20, {.threads = 3});
  RC_ASSERT(testing::same_bits(one.coefficients(), three.coefficients()));
  RC_ASSERT(std::ranges::equal(one.mean_coefficients(), three.mean_coefficients()));
}

}  // namespace
}  // namespace mercer
