#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <mercer/data.h>

namespace mercer::data {

/// How a delimited text is written.
struct TextDialect {
  char delimiter = ',';  ///< or `kBlanks`
  bool header = false;   ///< the first record names the columns
};

/// Finds what the options leave open from the first record and, where there is one, the second.
///
/// Delimiter: the one of tab, semicolon and comma that occurs equally often in both records; blanks
/// when there is none of them. Header: some column has a word in the first record and a number in
/// the second, so that tables with columns of text are not mistaken for tables with a header; or
/// the options call columns by names, or the first record is what the rules' header was.
TextDialect detect_dialect(std::string_view first, std::optional<std::string_view> second,
                           const TableOptions& options);

}  // namespace mercer::data
