#include "data/columns.h"

#include <numeric>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/message_text.h"

namespace mercer::data {

namespace {

std::string_view role(Column::Use use) {
  switch (use) {
    case Column::Use::number:
      return "a number";
    case Column::Use::category:
      return "one-hot encoded";
    case Column::Use::label:
      return "the label";
    case Column::Use::weight:
      return "the weight";
    case Column::Use::ignored:
      break;
  }
  return "ignored";
}

/// Rules come from a model file or from a caller; neither may lead outside of a row.
void check_rules(const ColumnRules& rules) {
  std::vector<bool> taken(rules.table_columns, false);
  const auto take = [&](std::size_t j) {
    if (j >= rules.table_columns || taken[j]) {
      throw InvalidArgument(
          fmt::format("the column rules name column {} twice or beyond their {} columns", j + 1,
                      rules.table_columns));
    }
    taken[j] = true;
  };
  for (const std::size_t j : rules.left_out) take(j);
  for (const ColumnRules::OneHot& one_hot : rules.one_hot) take(one_hot.column);
  if (!rules.names.empty() && rules.names.size() != rules.table_columns) {
    throw InvalidArgument(fmt::format("the column rules have {} names for {} columns",
                                      rules.names.size(), rules.table_columns));
  }
}

Categories known_categories(const ColumnRules::OneHot& one_hot) {
  Categories known;
  for (const std::string& name : one_hot.categories) known.add(name);
  if (known.names().size() != one_hot.categories.size()) {
    throw InvalidArgument(
        fmt::format("the column rules name a category of column {} twice", one_hot.column + 1));
  }
  return known;
}

/// Positions of a full table that are used, in order.
std::vector<std::size_t> used_columns(const ColumnRules& rules) {
  std::vector<bool> left_out(rules.table_columns, false);
  for (const std::size_t j : rules.left_out) left_out[j] = true;
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < rules.table_columns; ++j) {
    if (!left_out[j]) used.push_back(j);
  }
  return used;
}

std::vector<std::size_t> sorted_order(const std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return names[i]; });
  return order;
}

}  // namespace

Columns::Columns(const TableOptions& options, std::size_t width, std::vector<std::string> names,
                 const std::string& file, Keep keep)
    : columns_(width), names_(std::move(names)) {
  if (options.rules.empty()) {
    follow_options(options, file, keep);
  } else {
    follow_rules(options.rules, file);
    find_weight(options.weight, file);
  }
  place_outputs();
  if (outputs_ == 0) {
    throw DataError(fmt::format("no column of '{}' is left for the points: all {} are left out",
                                file, columns_.size()));
  }
}

std::string Columns::describe(std::size_t j) const {
  if (j < names_.size()) return fmt::format("column {} ({})", j + 1, in_quotes(names_[j]));
  return fmt::format("column {}", j + 1);
}

std::size_t Columns::position_of(const ColumnName& column, const std::string& file) const {
  switch (column.kind) {
    case ColumnName::Kind::first:
      return 0;
    case ColumnName::Kind::last:
      return width() - 1;
    case ColumnName::Kind::position:
      if (column.position >= width()) {
        throw InvalidArgument(fmt::format("there is no column {} in '{}', which has {}",
                                          column.position + 1, file, width()));
      }
      return column.position;
    default:
      break;
  }
  if (names_.empty()) {
    throw InvalidArgument(fmt::format("there is no column named {} in '{}', which has no header",
                                      in_quotes(column.name), file));
  }
  const auto found = std::ranges::find(names_, column.name);
  if (found == names_.end()) {
    throw InvalidArgument(fmt::format("there is no column named {} in '{}'; the first is {}",
                                      in_quotes(column.name), file, in_quotes(names_.front())));
  }
  if (std::find(found + 1, names_.end(), column.name) != names_.end()) {
    throw InvalidArgument(fmt::format("'{}' has more than one column named {}: give its number",
                                      file, in_quotes(column.name)));
  }
  return static_cast<std::size_t>(found - names_.begin());
}

void Columns::assign(const ColumnName& column, Column::Use use, const std::string& file) {
  if (column.kind == ColumnName::Kind::none) return;
  const std::size_t j = position_of(column, file);
  if (columns_[j].use != Column::Use::number && columns_[j].use != use) {
    throw InvalidArgument(fmt::format("{} of '{}' cannot be both {} and {}", describe(j), file,
                                      role(columns_[j].use), role(use)));
  }
  columns_[j].use = use;
}

void Columns::follow_options(const TableOptions& options, const std::string& file, Keep keep) {
  assign(options.label, Column::Use::label, file);
  assign(options.weight, Column::Use::weight, file);
  for (const ColumnName& column : options.ignore) assign(column, Column::Use::ignored, file);
  for (const ColumnName& column : options.one_hot) assign(column, Column::Use::category, file);

  rules_.table_columns = width();
  rules_.names = names_;
  for (std::size_t j = 0; j < width(); ++j) {
    Column& column = columns_[j];
    if (column.use == Column::Use::category) {
      rules_.one_hot.push_back({.column = j, .categories = {}});
    } else if (column.use != Column::Use::number) {
      rules_.left_out.push_back(j);
      if (column.use == Column::Use::label && keep == Keep::points) {
        column.use = Column::Use::ignored;
      }
    }
  }
  if (rules_.one_hot.empty()) return;
  categories_.resize(rules_.one_hot.size());
  categories_known_ = false;
}

void Columns::follow_rules(const ColumnRules& rules, const std::string& file) {
  const bool full = width() == rules.table_columns;
  // Compared before anything is allocated for the width that the rules declare.
  if (!full && width() + rules.left_out.size() != rules.table_columns) {
    const std::string without = rules.left_out.empty()
                                    ? ""
                                    : fmt::format(", or {} without those left out",
                                                  rules.table_columns - rules.left_out.size());
    throw DataError(fmt::format("'{}' has {} columns, but {} are expected{}", file, width(),
                                rules.table_columns, without));
  }
  check_rules(rules);
  rules_ = rules;
  const std::vector<std::size_t> used = used_columns(rules);
  check_names(rules, file);
  if (full) {
    for (const std::size_t j : rules.left_out) columns_[j].use = Column::Use::ignored;
  }
  for (const ColumnRules::OneHot& one_hot : rules.one_hot) {
    const auto j = full ? one_hot.column
                        : static_cast<std::size_t>(std::ranges::lower_bound(used, one_hot.column) -
                                                   used.begin());
    columns_[j].use = Column::Use::category;
    columns_[j].category = categories_.size();
    categories_.push_back(known_categories(one_hot));
  }
}

/// Rules say which columns are left out, not which of them was the weight.
void Columns::find_weight(const ColumnName& column, const std::string& file) {
  if (column.kind == ColumnName::Kind::none) return;
  const std::size_t j = position_of(column, file);
  if (columns_[j].use != Column::Use::ignored) {
    throw InvalidArgument(fmt::format("{} of '{}' cannot be the weight: the points are made of it",
                                      describe(j), file));
  }
  columns_[j].use = Column::Use::weight;
}

/// Columns in another order than the model's would go unnoticed and spoil everything.
void Columns::check_names(const ColumnRules& rules, const std::string& file) const {
  if (names_.empty() || rules.names.empty()) return;
  const std::vector<std::size_t> used = used_columns(rules);
  const bool full = width() == rules.table_columns;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::string& found = names_[full ? used[i] : i];
    const std::string& expected = rules.names[used[i]];
    if (found != expected) {
      throw DataError(fmt::format("column {} of '{}' is named {}, but {} is expected there",
                                  (full ? used[i] : i) + 1, file, in_quotes(found),
                                  in_quotes(expected)));
    }
  }
}

void Columns::place_outputs() {
  outputs_ = 0;
  std::size_t category = 0;
  for (Column& column : columns_) {
    all_numbers_ = all_numbers_ && column.use == Column::Use::number;
    column.output = outputs_;
    if (column.use == Column::Use::number) {
      ++outputs_;
    } else if (column.use == Column::Use::category) {
      if (!categories_known_) column.category = category++;
      outputs_ += categories_known_ ? categories_[column.category].names().size() : 1;
    }
  }
}

void Columns::fail_weight(double weight, std::string_view place) {
  if (weight < 0) throw DataError(fmt::format("{}: the weight {} is negative", place, weight));
  throw DataError(fmt::format("{}: the weight is {}; leave the row out", place, weight));
}

void Columns::rewind() {
  weights_.clear();
  label_codes_.clear();
}

std::size_t Columns::encoded_outputs() const {
  if (categories_known_) return outputs_;
  std::size_t count = outputs_ - categories_.size();
  for (const Categories& list : categories_) count += list.names().size();
  return count;
}

Matrix<double> Columns::encode(Matrix<double> rows) const {
  if (categories_known_) return rows;
  Matrix<double> encoded(rows.rows(), encoded_outputs());
  std::size_t output = 0;
  for (const Column& column : columns_) {
    if (column.use == Column::Use::number) {
      for (std::size_t i = 0; i < rows.rows(); ++i) encoded(i, output) = rows(i, column.output);
      ++output;
    } else if (column.use == Column::Use::category) {
      const std::vector<std::size_t> order = sorted_order(categories_[column.category].names());
      std::vector<std::size_t> rank(order.size());
      for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = r;
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        encoded(i, output + rank[static_cast<std::size_t>(rows(i, column.output))]) = 1;
      }
      output += order.size();
    }
  }
  return encoded;
}

void Columns::settle_categories() {
  rules_ = rules();
  categories_.clear();
  for (const ColumnRules::OneHot& one_hot : rules_.one_hot) {
    categories_.push_back(known_categories(one_hot));
  }
  categories_known_ = true;
  place_outputs();
}

ColumnRules Columns::rules() const {
  ColumnRules rules = rules_;
  if (categories_known_) return rules;
  for (std::size_t c = 0; c < categories_.size(); ++c) {
    const std::vector<std::string>& names = categories_[c].names();
    for (const std::size_t i : sorted_order(names)) rules.one_hot[c].categories.push_back(names[i]);
  }
  return rules;
}

}  // namespace mercer::data
