#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::golden {

/// Named matrices of recorded numbers. A file is a sequence of `name rows cols` followed by the
/// numbers row by row, all separated by blanks or line ends; `#` starts a comment up to the line
/// end.
class Golden {
 public:
  /// Relative paths start at tests/golden. Throws FileError naming the place of a mistake.
  static Golden load(const std::filesystem::path& path);

  /// Throws FileError when there is no matrix of that name.
  const Matrix<double>& operator[](std::string_view name) const;
  /// All entries, row by row.
  std::vector<double> values(std::string_view name) const;
  /// The only entry of a 1 x 1 matrix.
  double number(std::string_view name) const;

 private:
  std::filesystem::path path_;
  std::map<std::string, Matrix<double>, std::less<>> matrices_;
};

}  // namespace mercer::golden
