#pragma once

#include <mercer/summary.h>

namespace mercer::testing {

/// Every field set, each to something that no other field has.
inline Summary full_summary() {
  Summary s;
  s.method = "landmarks";
  s.kernel = "rational_quadratic";
  s.kernel_parameters = {{"length", 2.5}, {"alpha", 0.1}};
  s.n = 1234567;
  s.d = 16;
  s.total_weight = 2345678.5;
  s.components = 12;
  s.library_size = 500;
  s.centered = false;
  for (int j = 0; j < 12; ++j) {
    s.eigenvalues.push_back(1000.0 / (j + 1));
    s.explained_variance_ratio.push_back(0.3 / (j + 1));
  }
  s.negative_eigenvalues = NegativeEigenvalues{.count = 3, .smallest = -0.5, .all_seen = true};
  s.total_variance = Interval{.low = 3000.25, .high = 3333.5};
  s.residual_trace_fraction = 0.0123;
  s.reconstruction_error = 0.0456;
  s.solver_residual = 3.5e-13;
  s.bounds = {{.name = "operator_norm", .value = 0.75, .rigorous = true},
              {.name = "eigenvalue_gap", .value = 0.25, .rigorous = false}};
  s.certified_ratio = {2.5, 0.75, 1.25};
  s.kernel_evaluations = 617283500;
  s.seconds = 1.5;
  s.phases = {{.name = "selection", .seconds = 0.5}, {.name = "eigenpairs", .seconds = 0.0123}};
  s.peak_memory_bytes = std::uint64_t{3} << 30;
  s.memory_limit_bytes = std::uint64_t{8} << 30;
  s.termination = {.reason = TerminationReason::not_converged,
                   .message = "stopped at 300 products"};
  s.warnings = {"two rows are equal"};
  s.choices = {{.what = "length", .value = "2.5", .why = "median distance of 1000 rows"}};
  s.threads = 2;
  s.simd = "AVX-512";
  s.blas = "SkylakeX";
  s.seed = 18446744073709551615u;
  s.features = 2048;
  s.compression =
      Compression{.by = "rounding",
                  .library_size_before = 7291,
                  .all = {.expected = 0.05, .within_95 = 0.098, .measured = 0.06},
                  .components = {{.expected = 0.02, .within_95 = 0.04, .measured = 0.03},
                                 {.expected = 0.07, .within_95 = 0.14, .measured = 0.08}}};
  return s;
}

/// As kernel feature analysis fills it in: gains in the place of eigenvalues.
inline Summary feature_summary() {
  Summary s;
  s.method = "akfa";
  s.kernel = "gaussian";
  s.n = 500;
  s.d = 2;
  s.total_weight = 500;
  s.components = 3;
  s.centered = true;
  s.gains = {0.25, 0.3125, 0.0625};
  s.error_curve = {{.size = 0, .error = 0.75},
                   {.size = 1, .error = 0.5},
                   {.size = 2, .error = 0.1875},
                   {.size = 3, .error = 0.125}};
  s.reconstruction_error = 0.125;
  s.total_variance = Interval{.low = 375, .high = 375};
  for (const double gain : s.gains) s.explained_variance_ratio.push_back(gain / 0.75);
  return s;
}

}  // namespace mercer::testing
