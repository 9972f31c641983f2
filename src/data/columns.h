#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/data.h>

#include "data/categories.h"

namespace mercer::data {

/// What a reader has to deliver: the points with their weights, or the labels too.
enum class Keep { points, everything };

/// What becomes of one column of a file.
struct Column {
  enum class Use : std::uint8_t { number, category, label, weight, ignored };
  Use use = Use::number;
  std::size_t output = 0;    ///< first column of the point that it fills
  std::size_t category = 0;  ///< which of the category columns it is
};

/// The columns of an opened file: what the options (or the rules of an earlier table) ask of each,
/// and what the columns beside the points have delivered so far.
///
/// Categories that no rules name are collected on the way: the column then holds, in place of one
/// 0/1 column per category, the number of the category in order of appearance. When all rows have
/// been read, `encode` spreads it out, or `settle_categories` lets a second pass do so.
class Columns {
 public:
  /// `names` is empty when the file has no header; `file` is for messages.
  Columns(const TableOptions& options, std::size_t width, std::vector<std::string> names,
          const std::string& file, Keep keep);

  std::size_t width() const { return columns_.size(); }
  std::size_t outputs() const { return outputs_; }
  const Column& operator[](std::size_t j) const { return columns_[j]; }
  /// Every column of the file is a number of the point.
  bool all_numbers() const { return all_numbers_; }
  /// "column 3" or "column 3 ('age')", for messages about a 0-based column.
  std::string describe(std::size_t j) const;

  /// Stores the text of a category or label column. False for an unknown category.
  template <class T>
  bool put_text(const Column& column, std::string_view text, std::span<T> row) {
    if (column.use == Column::Use::label) {
      label_codes_.push_back(labels_.add(text));
      return true;
    }
    if (!categories_known_) {
      row[column.output] = static_cast<T>(categories_[column.category].add(text));
      return true;
    }
    const Categories& known = categories_[column.category];
    std::ranges::fill(row.subspan(column.output, known.names().size()), T{0});
    const std::optional<std::size_t> code = known.find(text);
    if (code) row[column.output + *code] = T{1};
    return code.has_value();
  }
  /// `place()` is for the message of the DataError when the weight is not positive.
  template <class Place>
  void put_weight(double weight, const Place& place) {
    if (!(weight > 0)) fail_weight(weight, place());
    weights_.push_back(weight);
  }

  /// Columns that a point has after `encode`.
  std::size_t encoded_outputs() const;
  /// The rows with every collected category spread out, categories in sorted order.
  Matrix<double> encode(Matrix<double> rows) const;
  bool needs_encoding() const { return !categories_known_; }
  /// Takes the collected categories, in sorted order, for all there are.
  void settle_categories();

  Labels take_labels() { return {std::move(label_codes_), labels_.names()}; }
  /// The weights since the last call: those of a block.
  std::vector<double> take_weights() { return std::exchange(weights_, {}); }
  /// Forgets labels and weights, for another pass over the rows.
  void rewind();
  /// What was done, with the categories collected so far.
  ColumnRules rules() const;

 private:
  void follow_options(const TableOptions& options, const std::string& file, Keep keep);
  void follow_rules(const ColumnRules& rules, const std::string& file);
  void check_names(const ColumnRules& rules, const std::string& file) const;
  void find_weight(const ColumnName& column, const std::string& file);
  void place_outputs();
  void assign(const ColumnName& column, Column::Use use, const std::string& file);
  std::size_t position_of(const ColumnName& column, const std::string& file) const;
  [[noreturn]] static void fail_weight(double weight, std::string_view place);

  std::vector<Column> columns_;
  std::vector<std::string> names_;
  ColumnRules rules_;  ///< categories are added to it by `rules`
  std::vector<Categories> categories_;
  bool categories_known_ = true;
  bool all_numbers_ = true;
  std::size_t outputs_ = 0;

  Categories labels_;
  std::vector<std::size_t> label_codes_;
  std::vector<double> weights_;
};

}  // namespace mercer::data
