#pragma once

#include <mercer/rows.h>

namespace mercer::data {

/// Puts the rows of `more` behind those of `all`.
inline void append(SparseRows& all, const SparseRows& more) {
  const std::uint64_t before = all.value.size();
  for (std::size_t i = 0; i < more.rows(); ++i) {
    all.row_begin.push_back(before + more.row_begin[i + 1]);
  }
  all.column.insert(all.column.end(), more.column.begin(), more.column.end());
  all.value.insert(all.value.end(), more.value.begin(), more.value.end());
}

}  // namespace mercer::data
