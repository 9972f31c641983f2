#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "data/byte_source.h"
#include "data/table_source.h"

namespace mercer::testing {

/// Bytes with the memory they are in.
class OwnedBytes final : public data::ByteSource {
 public:
  explicit OwnedBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::optional<std::uint64_t> most_bytes() const override { return bytes_.size(); }
  bool cheap_to_reread() const override { return true; }
  std::optional<std::string_view> map() override { return bytes_; }

 protected:
  std::size_t read_some(std::span<char> buffer) override {
    const std::size_t count = bytes_.copy(buffer.data(), buffer.size(), position_);
    position_ += count;
    return count;
  }
  void restart() override { position_ = 0; }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

/// Bytes as they come from a pipe: of unknown number, once, and a few at a time.
class PipedBytes final : public data::ByteSource {
 public:
  explicit PipedBytes(std::string bytes, std::size_t at_once = 3)
      : bytes_(std::move(bytes)), at_once_(at_once) {}
  std::optional<std::uint64_t> most_bytes() const override { return std::nullopt; }

 protected:
  std::size_t read_some(std::span<char> buffer) override {
    const std::size_t count =
        bytes_.copy(buffer.data(), std::min(buffer.size(), at_once_), position_);
    position_ += count;
    return count;
  }
  void restart() override { throw FileError("a pipe can be read only once"); }

 private:
  std::string bytes_;
  std::size_t at_once_;
  std::size_t position_ = 0;
};

inline std::unique_ptr<data::TableSource> open_bytes(std::string bytes, FileFormat format,
                                                     const TableOptions& options = {},
                                                     data::Keep keep = data::Keep::everything) {
  return data::open_table(std::make_unique<OwnedBytes>(std::move(bytes)), format, "test", options,
                          keep);
}

inline Table read_bytes_as(FileFormat format, std::string bytes, const TableOptions& options = {}) {
  const auto source = open_bytes(std::move(bytes), format, options);
  return data::read_all(*source, "test", options);
}

inline Table read_piped_bytes_as(FileFormat format, std::string bytes,
                                 const TableOptions& options = {}) {
  const auto source = data::open_table(std::make_unique<PipedBytes>(std::move(bytes)), format,
                                       "test", options, data::Keep::everything);
  return data::read_all(*source, "test", options);
}

using Values = std::vector<std::vector<double>>;

inline Values values_of(MatrixView<const double> matrix) {
  Values values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    values.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  }
  return values;
}

/// All rows of a source in blocks of this many.
inline Values values_of(RowSource& source, std::size_t rows_at_once) {
  Values values;
  while (const auto block = source.next(rows_at_once)) {
    EXPECT_EQ(block->first_row, values.size());
    const Values more = values_of(block->dense());
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

/// The weights of all rows, as `values_of` reads them; none when no block has any.
inline std::vector<double> weights_of(RowSource& source, std::size_t rows_at_once) {
  std::vector<double> weights;
  while (const auto block = source.next(rows_at_once)) {
    EXPECT_TRUE(block->weights.empty() || block->weights.size() == block->rows());
    weights.insert(weights.end(), block->weights.begin(), block->weights.end());
  }
  return weights;
}

/// Label names row by row.
inline std::vector<std::string> names_of(const Labels& labels) {
  std::vector<std::string> names;
  for (const std::size_t code : labels.code) names.push_back(labels.names.at(code));
  return names;
}

}  // namespace mercer::testing
