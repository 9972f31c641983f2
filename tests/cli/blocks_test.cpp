// Greedy kernel PCA, blocks of rows, and blocks that are summarised apart and merged.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/block_model.h>
#include <mercer/data.h>
#include <mercer/model.h>

#include "cli/session.h"
#include "model/json_schema.h"
#include "summary_fields.h"

namespace mercer {
namespace {

using testing::bound;
using testing::choice;

class Blocks : public testing::Session {
 protected:
  Summary fitted(const std::string& words) {
    return Summary::from_json(done("fit " + words + " -o m.mercer --json -"));
  }
};

TEST_F(Blocks, LibrariesStopAtEveryLimitByEveryRule) {
  done("generate rings -o r.npy --n 900");
  for (const std::string rule : {"sampled_best --candidates 4", "best", "max_residual", "random"}) {
    const std::string words = "r.npy --gamma 0.5 --method greedy --pivot-rule " + rule;
    EXPECT_LE(bound(fitted(words + " --mse 0.02"), "mean_square_residual"), 0.02) << rule;
    EXPECT_EQ(fitted(words + " --max-library 17").library_size, 17u) << rule;
    done("fit r.npy -o m.mercer --gamma 0.5 --method greedy --max-error 0.05 --retain 1 " +
         ("--pivot-rule " + rule));
    done("transform m.mercer r.npy -o z.csv --residual");
    const Matrix<double> scores = read_table(folder_ / "z.csv").points;
    for (std::size_t i = 0; i < scores.rows(); ++i)
      ASSERT_LE(scores(i, scores.cols() - 1), 0.05 + 1e-6) << rule << ", row " << i;
  }
}

TEST_F(Blocks, FilesAndMemoryGiveTheSameBits) {
  done("generate swiss_roll -o p.npy --n 7003 --seed 4");
  const Matrix<double> points = read_table(folder_ / "p.npy").points;
  std::string text;
  for (std::size_t i = 0; i < points.rows(); ++i)
    text += fmt::format("{:.17g}\n", fmt::join(points.row(i), ","));
  write("p.csv", text);
  for (const std::string words :
       {"--block-size 1000", "--blocks 6 --standardize", "--blocks 6 --refine none --deflate 0.99",
        "--refine reproject --gamma 0.01", "--refine none --merge-form cholesky --gamma 0.01"}) {
    done("fit p.npy -o a.mercer --mse 0.02 --scores a.npy --method partitioned " + words);
    done("fit p.csv -o b.mercer --mse 0.02 --scores b.npy --method partitioned " + words);
    EXPECT_EQ(read("a.npy"), read("b.npy")) << words;
  }
}

TEST_F(Blocks, RefinementsAreMoreExactOrSmaller) {
  done("generate swiss_roll -o p.npy --n 4000");
  const std::string words = "p.npy --gamma 0.02 --mse 0.01 --blocks 8 --partition random ";
  const Summary merged = fitted(words + "--refine none");
  const Summary all = fitted(words + "--refine reproject");
  const Summary two = fitted(words);
  EXPECT_EQ(choice(two, "refine"), "two_level");
  EXPECT_EQ(choice(two, "blocks"), "8");
  EXPECT_EQ(merged.library_size, all.library_size);
  EXPECT_LT(two.library_size * 3, all.library_size);
  EXPECT_LT(bound(all, "mean_square_residual"), 0.1 * bound(merged, "mean_square_residual"));
  EXPECT_LE(bound(two, "mean_square_residual"), 0.01);
}

TEST_F(Blocks, DeflationBoundsTheComponents) {
  done("generate swiss_roll -o p.npy --n 3000");
  const std::string words = "p.npy --gamma 0.02 --blocks 6 --refine none --retain 1 ";
  const auto components = [&](const std::string& more) {
    return fitted(words + more).eigenvalues.size();
  };
  const std::size_t relative = components("--deflate 0.9");
  EXPECT_LT(relative, components("--deflate 0.9 --deflate-rule cumulative"));
  EXPECT_LT(components("--deflate 0.9 --deflate-rule cumulative"), components(""));
  EXPECT_EQ(components("--max-components 12"), 12u);
}

TEST_F(Blocks, LabelsMakeBlocks) {
  std::string text;
  for (int i = 0; i < 90; ++i)
    text += fmt::format("{},{:.6f},{:.6f}\n", std::string(1, "xyz"[i % 3]), std::sin(i) + i % 3,
                        std::cos(3 * i));
  write("l.csv", text);
  const std::string fit = "fit l.csv -o m.mercer --gamma 1 --partition label ";
  const std::string said = done(fit + "--label-column first");
  EXPECT_NE(said.find("blocks = 3: rows of the same label in each"), std::string::npos) << said;
  EXPECT_NE(said.find("3 classes, a block of rows each"), std::string::npos) << said;
  std::string labels;
  for (int i = 0; i < 90; ++i) labels += i < 60 ? "one\n" : "two\n";
  write("labels.txt", labels);
  EXPECT_NE(done(fit + "--ignore-columns 1 --labels labels.txt").find("blocks = 2"),
            std::string::npos);
  std::remove((folder_ / "m.mercer").c_str());
  expect_error(fit + "--ignore-columns 1", 2, "--partition label needs labels");
  expect_error(fit + "--label-column first --blocks 3", 2, "leave out --blocks");
  expect_error(fit + "--label-column first --block-size 3", 2, "leave out --block-size");
  EXPECT_FALSE(exists("m.mercer"));
}

TEST_F(Blocks, WeightsAreRepetitions) {
  std::string weighted, repeated;
  for (int i = 0; i < 80; ++i) {
    const std::string row = fmt::format("{:.6f},{:.6f}", std::sin(i), std::cos(3 * i));
    weighted += fmt::format("{},{}\n", row, 1 + i % 3);
    for (int k = 0; k <= i % 3; ++k) repeated += row + "\n";
  }
  write("w.csv", weighted);
  write("r.csv", repeated);
  for (const std::string method : {"greedy", "partitioned --partition order --blocks 1"}) {
    const std::string words = " --gamma 1 --pivot-rule max_residual --mse 1e-6 --method " + method;
    const Summary w = fitted("w.csv --sample-weight-column 3" + words);
    const Summary r = fitted("r.csv" + words);
    EXPECT_EQ(w.total_weight, static_cast<double>(r.n));
    for (std::size_t j = 0; j < 5; ++j)
      EXPECT_NEAR(w.eigenvalues[j], r.eigenvalues[j], 1e-4 * r.eigenvalues[0]) << method;
  }
}

TEST_F(Blocks, OptionsThatContradictEachOtherAreRefused) {
  done("generate blobs -o b.npy --n 60 --d 3");
  const auto refused = [&](const std::string& words, const std::string& text) {
    expect_error("fit b.npy -o m.mercer " + words, 2, text);
    EXPECT_FALSE(exists("m.mercer")) << words;
  };
  refused("--blocks 3 --block-size 10", "exclude each other");
  refused("--method greedy --blocks 3",
          "--blocks is an option of the method partitioned, but --method greedy was given");
  refused("--method exact --mse 0.1", "--mse is an option of the method greedy, partitioned");
  refused("--landmarks 5 --deflate 0.9", "choose one");
  refused("--blocks 3 --deflate 0.9", "--deflate is for blocks that are merged; add --refine none");
  refused("--blocks 3 --max-components 9 --refine reproject", "add --refine none");
  refused("--refine none --deflate 1.5", "--deflate is 1.5");
  refused("--refine none --deflate-rule cumulative", "give that too");
  refused("--pivot-rule best --candidates 3", "--candidates is for the pivot rule sampled_best");
  refused("--mse -1", "mse is -1");
  refused("--max-library 0", "max_library is 0");
  refused("--blocks 0", "blocks is 0");
  refused("--blocks 61", "there are 61 blocks for 60 rows");
  refused("--pivot-rule worst", "is none of");
  refused("--mse 0.1 --precision float", "--precision float does not go with");
  refused("--mse 0.1 --kernel sigmoid --gamma 1", "positive semi-definite");
}

TEST_F(Blocks, PartsMergeIntoTheModelOfAllRows) {
  write_halves(3001);
  const std::string how = " --method partitioned --gamma 0.02 --mse 1e-5 -o ";
  const std::string said = done("summarize a.npy" + how + "a.block --block-size 700");
  EXPECT_NE(said.find("a.block: 1500 rows, weight 1500, library "), std::string::npos) << said;
  done("summarize b.npy -q" + how + "b.block");
  const std::string info = done("info a.block");
  for (const char* text :
       {"a.block: the state of a stream", "blocks         3", "rows           1500",
        "gaussian, gamma = 0.02", "left out", "3 numbers per row, from tables with 3 columns"})
    EXPECT_NE(info.find(text), std::string::npos) << text << "\n" << info;
  expect_error("info a.block --json -", 2, "mercer merge makes a model of it");

  done("merge a.block b.block -o merged.mercer --components 6 --json s.json");
  EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{});
  const Summary merged = Summary::from_json(read("s.json"));
  const Summary exact = fitted("all.npy --gamma 0.02 --method exact --components 6");
  EXPECT_EQ(merged.n, 3001u);
  for (std::size_t j = 0; j < 6; ++j)
    EXPECT_NEAR(merged.eigenvalues[j] / exact.eigenvalues[j], 1, 1e-3) << j;
  done("transform merged.mercer all.npy -o z.npy");

  const Summary few = Summary::from_json(
      done("merge a.block b.block -o few.mercer --max-components 9 --retain 1 --json -"));
  EXPECT_EQ(few.eigenvalues.size(), 9u);
  done("merge a.block b.block -o c.mercer --merge-form cholesky --deflate 0.99 -q");
}

TEST_F(Blocks, BlocksOfProgramsAreShownAndMerged) {
  write_halves(400);
  const auto points = read_table(folder_ / "a.npy").points;
  BlockModel::of_rows(points, Gaussian{.gamma = 0.02}).save(folder_ / "program.block");
  EXPECT_NE(done("info program.block").find("kernel PCA of a part of the data"), std::string::npos);
  done("merge program.block -o m.mercer -q");
  expect_error("update program.block b.npy", 2, "program.block is no stream");
}

TEST_F(Blocks, PartsThatDoNotGoTogetherAreRefused) {
  write_halves(400);
  const std::string how = " --method partitioned --gamma 1 -o ";
  done("summarize a.npy" + how + "a.block");
  done("summarize b.npy --method partitioned --gamma 2 -o g.block");
  done("summarize b.npy --no-center" + how + "u.block");
  done("summarize b.npy --ignore-columns 1" + how + "c.block");
  done("summarize b.npy --method shadow --gamma 1 -o s.part");
  done("fit a.npy -o l.mercer --landmarks 20");
  done("summarize b.npy --landmarks-from l.mercer -o l.part");
  const auto refused = [&](const std::string& words, const std::string& text) {
    expect_error(words, 2, text);
    EXPECT_FALSE(exists("x"));
  };
  refused("merge a.block g.block -o x", "g.block does not go with a.block: ");
  refused("merge a.block u.block -o x", "one of the blocks is centred and the other is not");
  refused("merge a.block c.block -o x", "c.block does not go with a.block: ");
  refused("merge a.block s.part -o x",
          "s.part holds a cover, but a.block kernel PCA of a block; merge parts of one kind");
  refused("merge l.part a.block -o x", "merge parts of one kind");
  refused("merge a.block l.mercer -o x", "l.mercer is a model");
  refused("merge a.block ./a.block -o x", "given twice");
  refused("merge a.block -o x --no-center", "--no-center comes too late");
  refused("merge a.block -o x --second-pass a.npy", "blocks are merged without their rows");
  refused("merge a.block -o x --deflate 0", "--deflate is 0");
  refused("merge s.part -o x --deflate 0.9", "--deflate is for parts from mercer summarize");
  refused("merge l.part -o x --max-components 4", "--max-components is for parts");
  refused("summarize a.npy --method partitioned -o x", "same scale of the kernel");
  refused("summarize a.npy --method partitioned --gamma 1 --standardize -o x", "its own columns");
  refused("summarize a.npy --method partitioned --gamma 1 --ell 3 -o x", "--ell is an option");
  refused("summarize a.npy --method partitioned --gamma 1 --block-size 0 -o x",
          "--block-size is 0");
  refused("summarize a.npy --method partitioned --gamma 1 --landmarks-from l.mercer -o x",
          "--landmarks-from is an option of the method landmarks");
  refused("summarize a.npy --method shadow --gamma 1 --mse 0.1 -o x",
          "--mse is an option of --method partitioned");
  refused("summarize a.npy --landmarks-from l.mercer --no-center -o x",
          "--no-center is an option of --method partitioned");
  expect_error("transform a.block a.npy -o x.npy", 1, "a.block: holds a block, not a model");
}

}  // namespace
}  // namespace mercer
