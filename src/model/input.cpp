#include <set>
#include <string_view>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/input.h>

#include "model/utf8.h"

namespace mercer {
namespace {

void require_utf8(const std::string& text, const std::string& what) {
  if (!model::is_utf8(text))
    throw InvalidArgument(fmt::format(
        "{} is not UTF-8 text; convert the table, for example with: iconv -f latin1 -t utf-8",
        what));
}

void require_new_column(std::size_t column, std::size_t table_columns,
                        std::set<std::size_t>& seen) {
  if (column >= table_columns)
    throw InvalidArgument(fmt::format("column rules name column {} of a table with {} columns",
                                      column + 1, table_columns));
  if (!seen.insert(column).second)
    throw InvalidArgument(fmt::format("column rules name column {} twice", column + 1));
}

}  // namespace

std::size_t ColumnRules::point_columns() const {
  std::size_t columns = table_columns - left_out.size() - one_hot.size();
  for (const OneHot& rule : one_hot) columns += rule.categories.size();
  return columns;
}

void ColumnRules::validate() const {
  std::set<std::size_t> seen;
  for (const std::size_t column : left_out) require_new_column(column, table_columns, seen);
  for (const OneHot& rule : one_hot) {
    require_new_column(rule.column, table_columns, seen);
    std::set<std::string_view> categories;
    for (const std::string& category : rule.categories) {
      require_utf8(category, fmt::format("a category of column {}", rule.column + 1));
      if (!categories.insert(category).second)
        throw InvalidArgument(fmt::format("column rules list the category '{}' of column {} twice",
                                          category, rule.column + 1));
    }
  }
  if (!names.empty() && names.size() != table_columns)
    throw InvalidArgument(
        fmt::format("column rules have {} names for {} columns", names.size(), table_columns));
  for (std::size_t j = 0; j < names.size(); ++j)
    require_utf8(names[j], fmt::format("the name of column {}", j + 1));
}

}  // namespace mercer
