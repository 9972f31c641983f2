#include "golden/golden.h"

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::golden {

namespace {

/// More numbers than any file here has: a wrong size must not allocate without bound.
constexpr std::size_t kMaxEntries = 1'000'000;

/// The words of a file without its comments, and the line of the last one for messages.
class Words {
 public:
  explicit Words(const std::filesystem::path& path) : path_(path), file_(path) {
    if (!file_) throw FileError(fmt::format("{}: cannot be opened", path.string()));
  }

  std::optional<std::string> next() {
    std::string word;
    while (!(line_ >> word)) {
      std::string text;
      if (!std::getline(file_, text)) return std::nullopt;
      ++number_;
      line_ = std::istringstream(text.substr(0, text.find('#')));
    }
    return word;
  }

  template <class Number>
  Number next_number() {
    const std::optional<std::string> word = next();
    if (!word) fail("the file ends before its last number");
    Number value{};
    const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), value);
    if (error != std::errc() || end != word->data() + word->size()) {
      fail(fmt::format("'{}' is not a number that fits here", *word));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(fmt::format("{}:{}: {}", path_.string(), number_, what));
  }

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::istringstream line_;
  std::size_t number_ = 0;
};

}  // namespace

Golden Golden::load(const std::filesystem::path& path) {
  Golden golden;
  golden.path_ = std::filesystem::path(MERCER_SOURCE_DIR) / "tests" / "golden" / path;
  Words words(golden.path_);
  while (const std::optional<std::string> name = words.next()) {
    const auto rows = words.next_number<std::size_t>();
    const auto cols = words.next_number<std::size_t>();
    if (cols != 0 && rows > kMaxEntries / cols) words.fail(*name + " is too large");
    Matrix<double> matrix(rows, cols);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = words.next_number<double>();
    if (!golden.matrices_.emplace(*name, std::move(matrix)).second) {
      words.fail(*name + " appears twice");
    }
  }
  return golden;
}

const Matrix<double>& Golden::operator[](std::string_view name) const {
  const auto found = matrices_.find(name);
  if (found == matrices_.end()) {
    throw FileError(fmt::format("{}: has no matrix named {}", path_.string(), name));
  }
  return found->second;
}

std::vector<double> Golden::values(std::string_view name) const {
  const Matrix<double>& matrix = (*this)[name];
  return {matrix.data(), matrix.data() + matrix.size()};
}

double Golden::number(std::string_view name) const {
  const Matrix<double>& matrix = (*this)[name];
  if (matrix.size() != 1) {
    throw FileError(fmt::format("{}: {} is {} x {}, not one number", path_.string(), name,
                                matrix.rows(), matrix.cols()));
  }
  return matrix(0, 0);
}

}  // namespace mercer::golden
