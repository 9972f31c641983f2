// Every method of `mercer fit`, from files and from memory, and what its options may not be.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/model.h>

#include "cli/session.h"
#include "model/json_schema.h"

namespace mercer {
namespace {

class Methods : public testing::Session {
 protected:
  /// The same numbers as NPY, which is streamed, and as text with 17 digits, which is read.
  void write_both_ways(const std::string& shape_words) {
    done("generate " + shape_words + " -o p.npy");
    write_text_of(read_table(folder_ / "p.npy").points);
  }

  void write_text_of(const Matrix<double>& points) {
    std::string text;
    for (std::size_t i = 0; i < points.rows(); ++i)
      text += fmt::format("{:.17g}\n", fmt::join(points.row(i), ","));
    write("p.csv", text);
  }

  /// Fits both files and expects the same bits.
  void expect_same_from_both(const std::string& words) {
    done("fit p.npy -o a.mercer --scores a.npy " + words);
    done("fit p.csv -o b.mercer --scores b.npy " + words);
    EXPECT_EQ(read("a.npy"), read("b.npy")) << words;
    const Model a = Model::load(folder_ / "a.mercer");
    const Model b = Model::load(folder_ / "b.mercer");
    EXPECT_TRUE(std::ranges::equal(a.eigenvalues(), b.eigenvalues())) << words;
    EXPECT_EQ(a.summary().residual_trace_fraction, b.summary().residual_trace_fraction) << words;
    EXPECT_EQ(a.input().scaling.shift, b.input().scaling.shift) << words;
    EXPECT_EQ(a.input().scaling.multiply, b.input().scaling.multiply) << words;
    EXPECT_EQ(a.summary().n, read_table(folder_ / "p.npy").points.rows()) << words;
  }

  Summary fitted(const std::string& words) {
    return Summary::from_json(done("fit " + words + " -o m.mercer --json -"));
  }

  static bool was_read(const Summary& summary) {
    return std::ranges::any_of(summary.phases, [](const Phase& p) { return p.name == "read"; });
  }
};

TEST_F(Methods, EachOneFitsTransformsAndDescribesItself) {
  done("generate rings -o r.npy --n 6000 --d 3");
  for (const std::string method :
       {"auto", "exact --storage matrix_free", "landmarks --landmarks 60",
        "random_features --frequencies 128 --orthogonal", "kronecker --kronecker-groups 60",
        "kronecker --kronecker-order principal --no-center", "greedy --max-library 40",
        "randomized", "randomized --sparsify 5 --control rowcol --solver orthogonal --rayleigh",
        "randomized --quantize min_max --control nystrom:30 --certify", "partitioned --mse 0.01",
        "partitioned --blocks 5 --refine none", "shadow --ell 3",
        "shadow --radius 0.5 --center-weights operator --shuffle", "kmeans --centers 40",
        "paring --centers 40 --center-weights nearest", "herding --ell 2 --center-weights mmd"}) {
    const std::string words = "fit r.npy -o m.mercer --gamma 0.2 --components 4 --scores z.npy ";
    done(words + "--json s.json --method " + method);
    EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{}) << method;
    EXPECT_EQ(testing::summary_violations(done("info m.mercer --json -")),
              std::vector<std::string>{})
        << method;
    const std::string info = done("info m.mercer");
    EXPECT_NE(info.find("6,000 rows, 3 columns"), std::string::npos) << info;
    EXPECT_NE(info.find("3 numbers per row, from tables with 3 columns"), std::string::npos);
    done("transform m.mercer r.npy -o again.npy");
    EXPECT_EQ(read("z.npy"), read("again.npy")) << method;
    done("transform m.mercer r.npy -o residual.csv --residual");
  }
}

TEST_F(Methods, RandomizedSaysWhichComponentsCanBeTrusted) {
  done("generate rings -o r.npy --n 1500 --d 3");
  const std::string words = "r.npy --gamma 0.2 --components 3 --method randomized ";
  const Summary sampled = fitted(words + "--sparsify 4");
  EXPECT_EQ(sampled.certified_ratio.size(), 3U);
  EXPECT_LT(sampled.kernel_evaluations, 1500U * 1499 / 2 / 4 * 2 + 1500 * 200);
  const Summary certified = fitted(words + "--sparsify 4 --certify");
  EXPECT_EQ(certified.eigenvalues, sampled.eigenvalues);
  ASSERT_EQ(certified.bounds.size(), 3U);
  EXPECT_EQ(certified.bounds.back().name, "error_norm_measured");
  const std::string text = done("fit " + words + "-o m.mercer --sparsify 4");
  EXPECT_NE(text.find("  trusted  "), std::string::npos) << text;
  const Summary whole = fitted(words + "--sparsify 1 --solver-tolerance 1e-12");
  const Summary exact = fitted("r.npy --gamma 0.2 --components 3 --method exact");
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(whole.eigenvalues[j], exact.eigenvalues[j], 1e-9 * exact.eigenvalues[0]);
  EXPECT_NE(done("fit " + words + "-o m.mercer --sparsify 1").find("exact method"),
            std::string::npos);
}

TEST_F(Methods, ReducedSetsStreamWithTheSameBits) {
  write_both_ways("swiss_roll --n 30000 --noise 0.1");
  expect_same_from_both("--method shadow --ell 2");
  expect_same_from_both("--method shadow --ell 2 --gamma 0.02 --center-weights nearest");
  expect_same_from_both("--method paring --centers 200 --standardize");
}

TEST_F(Methods, GraphsFitTransformAndStream) {
  write_both_ways("swiss_roll --n 20000 --noise 0.05");
  for (const std::string method :
       {"laplacian_eigenmaps --reduce shadow", "diffusion_maps --ell 3 --diffusion-alpha 0.5",
        "normalized_cut --reduce paring --centers 300 --no-self-loops"})
    expect_same_from_both("--gamma 0.05 --components 2 --method " + method);
  done("generate rings -o r.npy --n 600 --labels truth.txt");
  for (const std::string method :
       {"laplacian_eigenmaps --laplacian unnormalized", "laplacian_eigenmaps --no-self-loops",
        "diffusion_maps --reduce kmeans --centers 100 --diffusion-time 3"}) {
    done("fit r.npy -o m.mercer --gamma 3 --scores z.npy --json s.json --method " + method);
    EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{}) << method;
    const std::string info = done("info m.mercer");
    EXPECT_NE(info.find("600 rows, 2 columns"), std::string::npos) << info;
    done("transform m.mercer r.npy -o again.npy");
    EXPECT_EQ(read("z.npy"), read("again.npy")) << method;
  }
}

TEST_F(Methods, CutsFindTheRings) {
  done("generate rings -o r.npy --n 1500 --labels truth.txt");
  done("fit r.npy -o m.mercer --gamma 8 --clusters 3 --labels-out found.txt");
  const auto truth = read_table(folder_ / "truth.txt").points;
  const auto found = read_table(folder_ / "found.txt").points;
  ASSERT_EQ(found.rows(), 1500u);
  std::map<double, double> cluster_of;
  for (std::size_t i = 0; i < 1500; ++i) {
    const auto [known, fresh] = cluster_of.emplace(truth(i, 0), found(i, 0));
    EXPECT_EQ(known->second, found(i, 0)) << i;
  }
  EXPECT_EQ(cluster_of.size(), 3u);
}

TEST_F(Methods, GraphsRefuseWhatTheyHaveNot) {
  done("generate rings -o r.npy --n 100");
  const std::string fit = "fit r.npy -o m.mercer --method diffusion_maps ";
  expect_error(fit + "--retain 0.9", 2, "neither variance nor mean");
  expect_error(fit + "--no-center", 2, "neither variance nor mean");
  expect_error(fit + "--clusters 3", 2, "--clusters is an option of the method normalized_cut");
  expect_error(fit + "--kernel linear", 2, "linear");
  expect_error(fit + "--precision float", 2, "--precision float does not go with");
  expect_error("fit r.npy -o m.mercer --method shadow --reduce shadow", 2, "--reduce is an option");
}

TEST_F(Methods, BoundsOfACoverAreSaidAndMeasured) {
  done("generate rings -o r.npy --n 800");
  const Summary summary = fitted("r.npy --gamma 0.5 --ell 4 --components 3 --verify");
  EXPECT_EQ(summary.method, "shadow");
  const auto value = [&](const std::string& name) {
    for (const Bound& bound : summary.bounds)
      if (bound.name == name) return bound.value;
    ADD_FAILURE() << name;
    return 0.0;
  };
  EXPECT_LE(value("mmd_measured"), value("mmd_rows"));
  EXPECT_LE(value("mmd_rows"), value("mmd_radius"));
  EXPECT_LE(value("hilbert_schmidt_measured"), value("hilbert_schmidt_rows"));
  EXPECT_LE(value("hilbert_schmidt_radius"), value("hilbert_schmidt_paper"));
  EXPECT_LE(value("kept_eigenvalues_measured"), value("centered_eigenvalues_rows"));
}

TEST_F(Methods, LandmarksAndFeaturesComeNearTheExactEigenvalues) {
  done("generate rings -o r.npy --n 1500");
  const Summary exact = fitted("r.npy --gamma 0.2 --components 3 --method exact");
  const Summary landmarks = fitted("r.npy --gamma 0.2 --components 3 --landmarks 80");
  const Summary features = fitted("r.npy --gamma 0.2 --components 3 --frequencies 2000");
  EXPECT_EQ(exact.method, "exact");
  EXPECT_EQ(landmarks.method, "landmarks");
  EXPECT_EQ(landmarks.landmarks, 80u);
  EXPECT_EQ(features.method, "random_features");
  EXPECT_EQ(features.features, 2000u);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(landmarks.eigenvalues[j] / exact.eigenvalues[j], 1, 1e-3) << j;
    EXPECT_NEAR(features.eigenvalues[j] / exact.eigenvalues[j], 1, 0.1) << j;
  }
}

TEST_F(Methods, EverySelectionEvaluationAndRuleRuns) {
  done("generate blobs -o b.npy --n 1200 --d 4");
  for (const char* name : {"rpcholesky", "uniform", "kmeans", "leverage", "greedy", "farthest"})
    EXPECT_LE(fitted(fmt::format("b.npy --landmarks 40 --selection {}", name)).landmarks, 40u);
  for (const char* name : {"orthogonal", "nystrom", "density_weighted", "subsample"})
    EXPECT_EQ(fitted(fmt::format("b.npy --landmarks 40 --evaluation {}", name)).method,
              "landmarks");
  EXPECT_EQ(fitted("b.npy --landmarks 40 --evaluation nystrom").library_size, 1200u);
  EXPECT_LE(*fitted("b.npy --tolerance 0.2").residual_trace_fraction, 0.2);
  EXPECT_LE(fitted("b.npy --subspace-tolerance 0.5 --max-landmarks 100").landmarks, 100u);
  const auto has_choice = [](const Summary& summary, const std::string& what) {
    return std::ranges::any_of(summary.choices, [&](const Choice& c) { return c.what == what; });
  };
  EXPECT_TRUE(has_choice(fitted("b.npy --landmarks 40 --polish lloyd"), "polish"));
  EXPECT_FALSE(has_choice(fitted("b.npy --landmarks 40 --polish none"), "polish"));
  EXPECT_GT(fitted("b.npy --landmarks 40 --certify").bounds.size(),
            fitted("b.npy --landmarks 40").bounds.size());
  EXPECT_TRUE(has_choice(fitted("b.npy --landmarks 40 --precision float"), "precision"));
}

TEST_F(Methods, EveryKroneckerOrderRunsAndAGridInItsOrderIsExact) {
  std::string text;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 9; ++j) text += fmt::format("{},{}\n", i, 0.5 * j);
  write("grid.csv", text);
  const std::string words = "grid.csv --gamma 0.1 --method kronecker --no-center ";
  for (const char* name : {"bisection", "principal", "file", "random"}) {
    const Summary summary =
        fitted(words + fmt::format("--kronecker-groups 12 --kronecker-order {}", name));
    EXPECT_EQ(summary.method, "kronecker");
    ASSERT_EQ(summary.bounds.at(0).name, "relative_frobenius_error");
    EXPECT_LT(summary.bounds[0].value, std::string(name) == "file" ? 1e-12 : 1) << name;
  }
  const Summary product = fitted(words + "--kronecker-order file --kronecker-groups 12");
  const Summary exact = fitted("grid.csv --gamma 0.1 --method exact --no-center");
  for (std::size_t j = 0; j < exact.eigenvalues.size(); ++j)
    EXPECT_NEAR(product.eigenvalues[j], exact.eigenvalues[j], 1e-10);
}

TEST_F(Methods, AnOptionOfOneMethodChoosesItAndTheSummarySaysSo) {
  done("generate blobs -o b.npy --n 300 --d 4");
  for (const auto& [option, method] : std::vector<std::pair<std::string, std::string>>{
           {"--landmarks 20", "landmarks"},
           {"--certify", "landmarks"},
           {"--selection uniform", "landmarks"},
           {"--frequencies 64", "random_features"},
           {"--orthogonal", "random_features"},
           {"--kronecker-order file", "kronecker"},
           {"--sparsify 5", "randomized"},
           {"--quantize sign", "randomized"},
           {"--control mean --solver krylov", "randomized"},
           {"--rayleigh --certify", "randomized"},
           {"--solver orthogonal --solver-tolerance 1e-6", "randomized"},
           {"--kronecker-groups 10", "kronecker"},
           {"--mse 0.1", "greedy"},
           {"--pivot-rule max_residual --blocks 3", "partitioned"},
           {"--refine reproject", "partitioned"},
           {"--solver dense", "exact"},
           {"--method auto --storage stored", "exact"}}) {
    const Summary summary = fitted("b.npy " + option);
    EXPECT_EQ(summary.method, method) << option;
    ASSERT_FALSE(summary.choices.empty()) << option;
    EXPECT_EQ(summary.choices[0].what, "method") << option;
    EXPECT_NE(summary.choices[0].why.find(" was given"), std::string::npos) << option;
  }
  const Summary by_size = fitted("b.npy");
  EXPECT_EQ(by_size.method, "exact");
  EXPECT_EQ(by_size.choices[0].why, "at most 5000 rows");
  EXPECT_NE(fitted("b.npy --method exact").choices[0].what, "method");
}

TEST_F(Methods, FilesAndMemoryGiveTheSameBits) {
  write_both_ways("swiss_roll --n 9000 --seed 4");
  EXPECT_FALSE(was_read(fitted("p.npy --landmarks 30")));
  EXPECT_TRUE(was_read(fitted("p.csv --landmarks 30")));
  for (const std::string words :
       {"--landmarks 50", "--landmarks 50 --standardize", "--landmarks 50 --scale minmax --certify",
        "--landmarks 50 --shift 1 --multiply 0.5 --selection kmeans --polish lloyd",
        "--landmarks 40 --evaluation subsample --selection leverage", "--tolerance 0.05",
        "--frequencies 96 --standardize", "--precision float --landmarks 50", "--standardize",
        "--landmarks 50 --sample-weight-column none --ignore-columns 2 --threads 1"})
    expect_same_from_both(words);
}

TEST_F(Methods, WeightsAreTheSameFromFilesAndMemory) {
  done("generate blobs -o raw.npy --n 5000 --d 4");
  Matrix<double> points = read_table(folder_ / "raw.npy").points;
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 3) = static_cast<double>(1 + i % 3);
  RowWriter writer(folder_ / "p.npy", points.cols());
  writer.write(points);
  writer.finish();
  write_text_of(points);
  for (const std::string words : {"--landmarks 50", "--frequencies 64", "--method auto"})
    expect_same_from_both(words + " --sample-weight-column last");
  EXPECT_EQ(Model::load(folder_ / "a.mercer").total_weight(), 9999);
}

TEST_F(Methods, TablesThatDoNotFitAreStreamedWhateverTheirFormat) {
  write_both_ways("swiss_roll --n 200000");
  const std::string words = " --landmarks 20 --components 3 --selection uniform";
  const Summary small = fitted("p.csv --memory-limit 9M" + words);
  EXPECT_FALSE(was_read(small));
  EXPECT_EQ(small.n, 200000u);
  expect_error("fit p.csv -o m2.mercer --memory-limit 4M --method exact", 1, "limit");
  expect_error("fit p.npy -o m2.mercer --memory-limit 4M --kernel linear", 1,
               "exact kernel PCA needs them in memory");
}

TEST_F(Methods, PlotsOverAStreamShowTheClasses) {
  done("generate rings -o r.npy --n 300 --labels classes.txt");
  const std::string plot =
      done("fit r.npy -o m.mercer --gamma 0.2 --landmarks 40 --plot --labels classes.txt");
  EXPECT_NE(plot.find("component 1"), std::string::npos);
  EXPECT_NE(plot.find("3 classes, not used in the fit"), std::string::npos) << plot;
  done("generate blobs -o b.npy --n 300 --d 2");
  Matrix<double> points = read_table(folder_ / "b.npy").points;
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 1) = static_cast<double>(i % 4);
  RowWriter writer(folder_ / "c.npy", 2);
  writer.write(points);
  writer.finish();
  EXPECT_NE(done("fit c.npy -o m.mercer --landmarks 40 --plot --label-column last")
                .find("4 classes, not used in the fit"),
            std::string::npos);
  EXPECT_NE(done("fit c.npy -o m.mercer --landmarks 40 --label-column last")
                .find("column last, not used in the fit"),
            std::string::npos);
  write("few.txt", "a\nb\n");
  expect_error("fit c.npy -o m2.mercer --landmarks 40 --labels few.txt", 1,
               "few.txt has 2 labels, but c.npy has 300 rows");
}

TEST_F(Methods, LandmarkRowsComeFromTextAndFromArrays) {
  done("generate blobs -o b.npy --n 200 --d 4");
  write("rows.txt", "# chosen by hand\n7\n0\n199\n50\n");
  RowWriter writer(folder_ / "rows.npy", 1);
  const Matrix<double> numbers = read_table(folder_ / "rows.txt").points;
  writer.write(numbers);
  writer.finish();
  const Summary text = fitted("b.npy --landmark-rows rows.txt");
  const Summary array = fitted("b.npy --landmark-rows rows.npy");
  EXPECT_EQ(text.landmarks, 4u);
  EXPECT_EQ(text.eigenvalues, array.eigenvalues);
  const Model model = Model::load(folder_ / "m.mercer");
  const Matrix<double> points = read_table(folder_ / "b.npy").points;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = points.row(static_cast<std::size_t>(numbers(i, 0)));
    EXPECT_TRUE(std::ranges::any_of(std::vector<std::size_t>{0, 1, 2, 3}, [&](std::size_t j) {
      return std::ranges::equal(model.library().row(j), row);
    })) << i;
  }
}

TEST_F(Methods, BadLandmarkRowsAreNamed) {
  done("generate blobs -o b.npy --n 20 --d 2");
  const auto refused = [&](const std::string& text, int exit_code, const std::string& message) {
    write("rows.txt", text);
    expect_error("fit b.npy -o m.mercer --landmark-rows rows.txt", exit_code, message);
    EXPECT_FALSE(exists("m.mercer"));
  };
  refused("0\n3.5\n", 1, "'rows.txt', number 2: 3.5 is not a row number");
  refused("0\n-1\n", 1, "number 2: -1 is not a row number");
  refused("0,1\n2,3\n", 1, "'rows.txt' has 2 columns; row numbers are one a line");
  refused("0\none\n", 1, "'rows.txt', line 2");
  refused("0\n20\n", 2, "landmark row 20 does not exist: the data have rows 0 to 19");
  refused("0\n5\n5\n", 2, "landmark row 5 is given twice");
  refused("", 1, "rows.txt");
  expect_error("fit b.npy -o m.mercer --landmark-rows none.txt", 1, "cannot read 'none.txt'");
}

TEST_F(Methods, OptionsOfOtherMethodsAreWrongUsage) {
  done("generate blobs -o b.npy --n 20 --d 2");
  const auto refused = [&](const std::string& words, const std::string& message) {
    expect_error("fit b.npy -o m.mercer " + words, 2, message);
    EXPECT_FALSE(exists("m.mercer"));
  };
  refused("--method exact --landmarks 5",
          "--landmarks is an option of the method landmarks, but --method exact was given");
  refused("--method landmarks --solver dense",
          "--solver is an option of the method exact, but --method landmarks was given");
  refused("--method random_features --certify", "--certify is an option of the method landmarks");
  refused("--method exact --orthogonal", "--orthogonal is an option of the method random_features");
  refused("--landmarks 5 --frequencies 8",
          "--landmarks is an option of the method landmarks, --frequencies of random_features");
  refused("--storage stored --polish none", "--polish is an option of the method landmarks");
  refused("--frequencies 8 --precision float", "--precision float does not go with");
  refused("--frequencies 7", "7");
  refused("--method exact --kronecker-order file",
          "--kronecker-order is an option of the method kronecker, but --method exact was given");
  refused("--method kronecker --kronecker-order sorted",
          "'sorted' is none of bisection, principal, file, random");
  refused("--method kronecker --kronecker-groups 0", "groups is 0");
  refused("--method kronecker --precision float", "--precision float does not go with");
  refused("--method kronecker --sample-weight-column last", "leave out --sample-weight-column");
  refused("--method randomized --sample-weight-column last", "leave out --sample-weight-column");
  refused("--method randomized --sparsify 0.5", "sparsify is 0.5");
  refused("--method randomized --control average", "--control average: it is one of");
  refused("--method randomized --control mean:5", "--control mean:5: it is one of");
  refused("--method randomized --control nystrom:0", "--control nystrom:0: it is one of");
  refused("--method randomized --quantize zero_one --control mean", "use min_max");
  refused("--method randomized --quantize bits", "--quantize");
  refused("--method randomized --solver dense",
          "--solver is an option of the method exact, but --method randomized was given");
  refused("--method exact --solver orthogonal",
          "--solver orthogonal is an option of the method randomized");
  refused("--method randomized --precision float", "--precision float does not go with");
  refused("--landmarks 0", "landmarks is 0");
  refused("--landmarks 5 --tolerance 0.1", "exclude each other");
  refused("--landmarks 5 --landmark-rows b.npy", "exclude each other");
  refused("--landmarks 5 --max-landmarks 9", "exclude each other");
  refused("--polish lloyd", "give landmarks too");
  refused("--evaluation nystrom --certify", "only the orthogonal evaluation");
  refused("--tolerance 2", "tolerance is 2");
  refused("--landmarks 5 --kernel sigmoid", "not positive semi-definite");
  refused("--frequencies 8 --kernel linear", "linear");
  refused("--method quick", "'quick' is none of auto, exact, landmarks, shadow,");
}

}  // namespace
}  // namespace mercer
