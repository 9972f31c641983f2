// Random projections on the command line: --project-dim, --project-error, --project-map.

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/model.h>

#include "cli/session.h"
#include "model/json_schema.h"
#include "numbers.h"

namespace mercer {
namespace {

class ProjectionFlagsTest : public testing::Session {
 protected:
  void SetUp() override {
    write_rows("wide.npy", testing::normal_matrix(300, 60, 1));
    write_rows("new.csv", testing::normal_matrix(20, 60, 2));
  }

  void write_rows(const std::string& name, MatrixView<const double> rows) {
    RowWriter writer(folder_ / name, rows.cols());
    writer.write(rows);
    writer.finish();
  }

  Summary fitted(const std::string& words) {
    return Summary::from_json(done("fit wide.npy -o m.mercer --json - " + words));
  }
};

TEST_F(ProjectionFlagsTest, EveryMethodTakesProjectedRowsAndItsModelTheWholeOnes) {
  for (const std::string method :
       {"auto", "exact", "landmarks --landmarks 30", "random_features", "shadow --ell 2",
        "kmeans --centers 20", "paring --centers 20", "herding --centers 20", "greedy",
        "partitioned --blocks 3", "laplacian_eigenmaps", "diffusion_maps",
        "normalized_cut --clusters 2", "kronecker --kronecker-groups 20"}) {
    const Summary summary =
        fitted("--project-dim 12 --components 2 --standardize --method " + method);
    EXPECT_EQ(summary.d, 12u) << method;
    ASSERT_FALSE(summary.choices.empty());
    EXPECT_EQ(testing::summary_violations(summary.json()), std::vector<std::string>{}) << method;
    const Model model = Model::load(folder_ / "m.mercer");
    EXPECT_EQ(model.input_columns(), 60u) << method;
    done("transform m.mercer new.csv -o z.csv -q");
  }
  EXPECT_NE(done("info m.mercer").find("; scaled; projected on 12"), std::string::npos);
}

TEST_F(ProjectionFlagsTest, StreamedAndReadDataGiveTheSameBits) {
  const Matrix<double> rows = read_table(folder_ / "wide.npy").points;
  write_rows("wide.csv", rows);
  const std::string words = " --landmarks 30 --project-dim 7 --standardize --scores ";
  done("fit wide.npy -o a.mercer" + words + "a.csv");
  done("fit wide.csv -o b.mercer" + words + "b.csv --threads 3");
  EXPECT_EQ(read("a.csv"), read("b.csv"));
  done("transform a.mercer wide.csv -o c.csv -q");
  EXPECT_EQ(read("a.csv"), read("c.csv"));
}

TEST_F(ProjectionFlagsTest, TheSeedAndTheMapDecideTheProjection) {
  const auto matrix = [&](const std::string& words) {
    fitted("--method exact --components 2 --project-dim 5 " + words);
    return Model::load(folder_ / "m.mercer").input().projection.matrix;
  };
  const auto first = matrix("");
  EXPECT_TRUE(testing::same_bits(first, matrix("--project-map signs")));
  EXPECT_FALSE(testing::same_bits(first, matrix("--seed 1")));
  for (const char* map : {"sparse", "coordinates", "rotated"}) {
    EXPECT_FALSE(testing::same_bits(first, matrix(fmt::format("--project-map {}", map))));
  }
}

TEST_F(ProjectionFlagsTest, DimensionsFollowFromTheErrorWhenTheyAreFewer) {
  write_rows("wide.npy", testing::normal_matrix(50, 400, 3));
  const Summary summary = fitted("--method exact --components 2 --project-error 0.5");
  EXPECT_EQ(summary.d, 235u);
  EXPECT_EQ(summary.choices.front().what, "projection");
  EXPECT_EQ(summary.choices.front().value, "235 of 400 columns, signs");
  expect_error("fit wide.npy -o x.mercer --project-error 0.2", 2,
               "an error of 0.2 for 50 rows takes 1129 dimensions, and they have 400 columns");
}

TEST_F(ProjectionFlagsTest, PartsAndStreamsProjectAlike) {
  const Matrix<double> rows = read_table(folder_ / "wide.npy").points;
  write_rows("a.npy", rows.view().rows_from(0, 150));
  write_rows("b.npy", rows.view().rows_from(150, 150));
  const std::string words = " --project-dim 6 --seed 4 --gamma 0.02 -q -o ";
  for (const std::string method : {"shadow --ell 3", "partitioned"}) {
    done("summarize a.npy --method " + method + words + "a.part");
    done("summarize b.npy --method " + method + words + "b.part");
    done("merge a.part b.part -o both.mercer --components 3 -q");
    done("transform both.mercer new.csv -o z.csv -q");
    done("summarize b.npy --method " + method + " --project-dim 6 --gamma 0.02 -q -o c.part");
    expect_error("merge a.part c.part -o x.mercer", 2, "different projections");
  }
  EXPECT_NE(done("info a.part").find("; projected on 6"), std::string::npos);
  done("update s.stream a.npy --start --project-dim 6 --gamma 0.02 -q");
  done("update s.stream b.npy --model s.mercer -q");
  EXPECT_EQ(Model::load(folder_ / "s.mercer").input_columns(), 60u);
  fitted("--landmarks 30 --project-dim 6");
  done("summarize b.npy --landmarks-from m.mercer -o l.part -q");
  done("merge l.part -o l.mercer -q");
  EXPECT_EQ(Model::load(folder_ / "l.mercer").input_columns(), 60u);
}

TEST_F(ProjectionFlagsTest, MistakesAreNamed) {
  expect_error("fit wide.npy -o x.mercer --project-dim 60", 2, "saves nothing");
  expect_error("fit wide.npy -o x.mercer --project-dim 0", 2, "keeps nothing");
  expect_error("fit wide.npy -o x.mercer --project-error 2", 2, "it must be between 0 and 1");
  expect_error("fit wide.npy -o x.mercer --project-map sparse", 2, "add --project-dim");
  expect_error("fit wide.npy -o x.mercer --project-error 0.5 --project-map coordinates", 2,
               "keep no distances for certain");
  for (const char* kernel : {"laplacian_l1", "chi2", "exponential_chi2"})
    expect_error(fmt::format("fit wide.npy -o x.mercer --project-dim 6 --kernel {}", kernel), 2,
                 "projections keep Euclidean distances and inner products");
  expect_error("fit wide.npy -o x.mercer --project-dim 6 --kernel precomputed", 2,
               "no points that could be projected");
  expect_error("update s.stream wide.npy --start --gamma 1 --project-error 0.9", 2,
               "needs the number of all rows");
  expect_error("summarize wide.npy -o p --method shadow --gamma 1 --project-map sparse", 2,
               "add --project-dim");
  done("update s.stream wide.npy --start --gamma 0.02 -q");
  expect_error("update s.stream wide.npy --project-dim 6", 2, "--project-dim is for --start");
  EXPECT_FALSE(exists("x.mercer"));
}

}  // namespace
}  // namespace mercer
