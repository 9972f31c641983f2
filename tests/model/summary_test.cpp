#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <mercer/summary.h>

#include "model/example_summary.h"

namespace mercer {
namespace {

using testing::full_summary;

Summary small_summary() {
  Summary s;
  s.method = "exact";
  s.kernel = "gaussian";
  s.kernel_parameters = {{"gamma", 0.5}};
  s.n = 1000;
  s.d = 2;
  s.total_weight = 1000;
  s.components = 2;
  s.library_size = 1000;
  s.eigenvalues = {300, 100};
  s.explained_variance_ratio = {0.6, 0.2};
  s.seconds = 0.0321;
  return s;
}

TEST(SummaryBrief, IsOneReadableLine) {
  EXPECT_EQ(small_summary().brief(),
            "exact, gaussian (gamma = 0.5): 1,000 x 2 -> 2 components, 80.00 % of the variance, "
            "32.1 ms");
}

TEST(SummaryBrief, SaysWhatIsLeftOutAndByWhat) {
  Summary s = small_summary();
  s.residual_trace_fraction = 0.01;
  EXPECT_NE(s.brief().find(" of the variance, 0.01 of the trace left out"), std::string::npos);
  s.landmarks = 20;
  EXPECT_NE(s.brief().find(", 20 landmarks leave out 0.01 of the trace"), std::string::npos);
}

TEST(SummaryBrief, DoesNotHideTrouble) {
  Summary s = small_summary();
  s.termination.reason = TerminationReason::not_converged;
  s.warnings = {"a", "b"};
  EXPECT_NE(s.brief().find(", NOT CONVERGED, 2 warnings"), std::string::npos);
  s.termination.reason = TerminationReason::fewer_components;
  EXPECT_NE(s.brief().find(", fewer than asked"), std::string::npos);
}

TEST(SummaryFull, DoesNotCallGraphsKernelPca) {
  Summary s = small_summary();
  for (const char* method : {"laplacian_eigenmaps", "diffusion_maps", "normalized_cut"}) {
    s.method = method;
    EXPECT_EQ(s.full().find("Kernel graph, "), 0u) << method;
  }
}

TEST(SummaryFull, ShowsTheTableWithCumulativeShares) {
  EXPECT_EQ(small_summary().full(),
            "Kernel PCA, exact method\n"
            "  data           1,000 rows, 2 columns\n"
            "  kernel         gaussian, gamma = 0.5\n"
            "  components     2, centred, from a library of 1,000 points\n"
            "\n"
            "  component    eigenvalue   explained  cumulative\n"
            "          1           300     60.00 %     60.00 %\n"
            "          2           100     20.00 %     80.00 %\n"
            "\n"
            "  ended          converged\n"
            "  time           32.1 ms\n"
            "  evaluations    0 kernel values\n"
            "  run with       seed 0");
}

TEST(SummaryFull, OfFeaturesShowsGainsAndTheError) {
  EXPECT_EQ(testing::feature_summary().full(),
            "Kernel features, akfa method\n"
            "  data           500 rows, 2 columns\n"
            "  kernel         gaussian\n"
            "  components     3, centred\n"
            "\n"
            "  component          gain   explained  cumulative\n"
            "          1          0.25     33.33 %     33.33 %\n"
            "          2        0.3125     41.67 %     75.00 %\n"
            "          3        0.0625      8.33 %     83.33 %\n"
            "\n"
            "  total variance 375\n"
            "  error          0.125 mean squared feature-space distance to the components\n"
            "  ended          converged\n"
            "  time           0 ms\n"
            "  evaluations    0 kernel values\n"
            "  run with       seed 0");
}

TEST(SummaryFull, SaysEverythingThatIsKnown) {
  const std::string text = full_summary().full();
  for (const char* part :
       {"1,234,567 rows, 16 columns, total weight 2.34568e+06",
        "rational_quadratic, length = 2.5, alpha = 0.1",
        "12, not centred, from a library of 500",
        "chosen         length = 2.5: median distance of 1000 rows",
        "... 2 more",
        "total variance 3000.25 to 3333.5",
        "0.0123 of the kernel matrix's trace",
        "0.0456 mean squared",
        "3.5e-13 of the largest eigenvalue",
        "bound          operator_norm 0.75",
        "estimate       eigenvalue_gap 0.25",
        "not_converged: stopped at 300 products",
        "warning        two rows are equal",
        "1.5 s (selection 500 ms, eigenpairs 12.3 ms)",
        "617,283,500 kernel values",
        "3.0 GiB at most (limit 8.0 GiB)",
        "2 threads, AVX-512, BLAS core SkylakeX, seed 184467",
        ", from 2,048 random features",
        "by rounding from 7,291 to 500 points",
        "6.00 % of the root mean square over the library before; expected 5.00 %, in 95 % of cases "
        "at most 9.80 %",
        "8.00 % in component 2, the worst"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(SummaryFull, ShortensLongTablesButCountsEverything) {
  Summary s = small_summary();
  s.eigenvalues.assign(25, 4.0);
  s.explained_variance_ratio.assign(25, 0.04);
  const std::string text = s.full();
  EXPECT_NE(text.find("         10             4      4.00 %     40.00 %\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("... 15 more                 60.00 %    100.00 %\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("         11 "), std::string::npos);
}

TEST(SummaryFull, ModelsWithoutComponentsHaveNoTable) {
  Summary s = small_summary();
  s.eigenvalues.clear();
  s.explained_variance_ratio.clear();
  EXPECT_EQ(s.full().find("eigenvalue"), std::string::npos);
}

TEST(TerminationReason, HasANameForEach) {
  EXPECT_EQ(to_string(TerminationReason::converged), "converged");
  EXPECT_EQ(to_string(TerminationReason::fewer_components), "fewer_components");
  EXPECT_EQ(to_string(TerminationReason::not_converged), "not_converged");
}

}  // namespace
}  // namespace mercer
