#include "data/image_folder.h"

#include <algorithm>
#include <cctype>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/image.h"
#include "data/numeric_rows.h"

namespace mercer::data {

namespace {

bool has_image_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" || ending == ".pgm";
}

std::vector<std::filesystem::path> list_images(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> images;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (has_image_ending(entry->path()) && entry->is_regular_file(error)) {
      images.push_back(entry->path());
    }
  }
  if (error) {
    throw FileError(
        fmt::format("cannot read the folder '{}': {}", folder.string(), error.message()));
  }
  if (images.empty()) {
    throw FileError(fmt::format("there are no .png or .pgm pictures in '{}'", folder.string()));
  }
  std::ranges::sort(images, {}, [](const auto& path) { return path.native(); });
  return images;
}

GreyImage read_image(const std::filesystem::path& path) {
  const std::unique_ptr<ByteSource> bytes = open_file(path);
  const std::optional<std::string_view> contents = bytes->map();
  if (!contents) throw FileError(fmt::format("cannot map '{}' into memory", path.string()));
  return decode_image(*contents, path.string());
}

class ImageFolder final : public TableSource {
 public:
  ImageFolder(const std::filesystem::path& folder, const TableOptions& options, Keep keep)
      : TableSource(options),
        images_(list_images(folder)),
        first_(read_image(images_.front())),
        columns_(options, first_.pixels.size(), {}, folder.string(), keep),
        folder_(folder.string()),
        memory_limit_bytes_(options.memory_limit_bytes) {
    if (keep == Keep::points && columns_.needs_encoding()) {
      learn_categories(*this, columns_, folder_, memory_limit_bytes_);
    }
  }

  std::size_t cols() const override { return columns_.outputs(); }
  std::optional<std::size_t> rows() const override { return images_.size(); }
  ColumnRules rules() const override { return columns_.rules(); }

  void rewind() override {
    columns_.rewind();
    next_row_ = 0;
  }

  Table complete(Matrix<double> rows) override {
    return complete_table(columns_, std::move(rows), folder_, memory_limit_bytes_);
  }

 protected:
  std::optional<RowBlock> read_rows(std::size_t max_rows) override {
    const std::size_t count = std::min(max_rows, images_.size() - next_row_);
    if (count == 0) return std::nullopt;
    Matrix<double> pixels = Matrix<double>::uninitialized(count, columns_.width());
    for (std::size_t i = 0; i < count; ++i) {
      const std::filesystem::path& path = images_[next_row_ + i];
      const GreyImage image = read_image(path);
      check_size(image, path);
      std::ranges::copy(image.pixels, pixels.row(i).begin());
    }
    Matrix<double> points = arrange(std::move(pixels), next_row_, columns_, folder_);
    RowBlock block{next_row_, std::move(points), columns_.take_weights()};
    next_row_ += count;
    return block;
  }

 private:
  void check_size(const GreyImage& image, const std::filesystem::path& path) const {
    if (image.width == first_.width && image.height == first_.height) return;
    throw DataError(fmt::format(
        "'{}' has {} x {} pixels, but '{}' has {} x {}: the pictures of a folder must be of one "
        "size",
        path.string(), image.width, image.height, images_.front().string(), first_.width,
        first_.height));
  }

  std::vector<std::filesystem::path> images_;
  GreyImage first_;
  Columns columns_;
  std::string folder_;
  std::size_t memory_limit_bytes_;
  std::size_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<TableSource> open_image_folder(const std::filesystem::path& folder,
                                               const TableOptions& options, Keep keep) {
  return std::make_unique<ImageFolder>(folder, options, keep);
}

}  // namespace mercer::data
