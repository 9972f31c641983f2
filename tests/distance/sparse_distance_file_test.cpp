#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/files.h>
#include <mercer/sparse_distance.h>

#include "engine/every_distance.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

TEST(SparseDistanceFile, GivesBackTheSameAnswers) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "distances.mercer";
  const auto items = testing::uniform_matrix(30, 7, 1);
  const auto queries = testing::uniform_matrix(4, 7, 2);
  for (const Distance& distance : testing::every_distance()) {
    const auto* custom = std::get_if<CustomDistance>(&distance);
    for (const bool keep : {true, false}) {
      const auto fit = fit_sparse_distance(distance, items, {.landmarks = 5, .keep_items = keep});
      fit.model.save(path);
      EXPECT_EQ(file_kind(path), FileKind::distance);
      const auto loaded =
          custom != nullptr ? SparseDistance::load(path, *custom) : SparseDistance::load(path);
      const auto before = fit.model.estimate(queries);
      const auto after = loaded.estimate(queries);
      EXPECT_TRUE(testing::same_bits(after.squared, before.squared)) << distance_name(distance);
      EXPECT_EQ(after.residuals, before.residuals);
      EXPECT_EQ(loaded.summary().json(), fit.summary.json());
      if (fit.model.hilbertian()) {
        EXPECT_TRUE(
            testing::same_bits(loaded.bounds(queries).lower, fit.model.bounds(queries).lower));
        EXPECT_EQ(loaded.coefficient_error_bounds(queries),
                  fit.model.coefficient_error_bounds(queries));
      }
      if (keep && fit.model.hilbertian()) {
        EXPECT_EQ(loaded.neighbors(queries).items(2, 0), fit.model.neighbors(queries).items(2, 0));
      }
    }
  }
}

TEST(SparseDistanceFile, KeepsItemsThatAreNoRowsByNumber) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "distances.mercer";
  const IndexedDistance distance{
      .count = 12,
      .squared = [](std::size_t i, std::size_t j) { return i > j ? double(i - j) : double(j - i); },
      .name = "steps"};
  const auto fit = fit_sparse_distance(distance, {.landmarks = 3});
  fit.model.save(path);
  const auto loaded = SparseDistance::load(path);
  EXPECT_TRUE(
      testing::same_bits(loaded.estimate(distance).squared, fit.model.estimate(distance).squared));
  EXPECT_THROW(loaded.estimate(Matrix<double>(1, 2)), InvalidArgument);
}

TEST(SparseDistanceFile, FunctionsMustBeGivenAgain) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "distances.mercer";
  const auto items = testing::uniform_matrix(8, 2, 3);
  const auto custom = std::get<CustomDistance>(testing::every_distance().back());
  fit_sparse_distance(custom, items, {.landmarks = 2}).model.save(path);
  EXPECT_THROW(SparseDistance::load(path), FileError);
  CustomDistance other = custom;
  other.name = "other";
  EXPECT_THROW(SparseDistance::load(path, other), FileError);
  fit_sparse_distance(L1Distance{}, items, {.landmarks = 2}).model.save(path);
  EXPECT_THROW(SparseDistance::load(path, custom), FileError);
}

TEST(SparseDistanceFile, DamageIsNoticed) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "distances.mercer";
  const auto items = testing::uniform_matrix(8, 2, 4);
  fit_sparse_distance(L1Distance{}, items, {.landmarks = 2}).model.save(path);
  const auto size = std::filesystem::file_size(path);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size) - 5);
    file.put('\x55');
  }
  EXPECT_THROW(SparseDistance::load(path), FileError);
  std::filesystem::resize_file(path, size / 2);
  EXPECT_THROW(SparseDistance::load(path), FileError);
}

TEST(SparseDistanceFile, MapsOfTheInputAreKept) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "distances.mercer";
  const auto rows = testing::uniform_matrix(20, 3, 5);
  InputMaps maps;
  maps.scaling = fixed_scaling(3, 1, 0.5);
  const auto fit =
      fit_sparse_distance(L1Distance{}, maps.apply(Matrix<double>(rows)), {.landmarks = 4});
  fit.model.with_input(maps).save(path);
  EXPECT_TRUE(testing::same_bits(SparseDistance::load(path).estimate(rows).squared,
                                 fit.model.estimate(maps.apply(Matrix<double>(rows))).squared));
}

TEST(SparseDistanceSummary, ComesBackFromItsText) {
  const auto items = testing::uniform_matrix(30, 3, 6);
  const auto summary = fit_sparse_distance(HammingDistance{.threshold = 0.5}, items,
                                           {.landmarks = 3, .selection = SubsetSelection::greedy})
                           .summary;
  EXPECT_EQ(DistanceSummary::from_json(summary.json()).json(), summary.json());
  EXPECT_THROW(DistanceSummary::from_json("{}"), FileError);
  EXPECT_NE(summary.brief().find("hamming distances to 30 items from"), std::string::npos);
  EXPECT_NE(summary.full().find("for each query"), std::string::npos);
}

}  // namespace
}  // namespace mercer
