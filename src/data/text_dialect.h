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
/// when there is none of them. Header: wherever the second record has numbers, the first has none,
/// and it has a word there; or the options call columns by names; or the first record is what the
/// rules' header was. So a row of data is not taken for a header because it contains text, and a
/// doubtful header becomes an error about text in line 1 rather than a lost row.
TextDialect detect_dialect(std::string_view first, std::optional<std::string_view> second,
                           const TableOptions& options);

}  // namespace mercer::data
