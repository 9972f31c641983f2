#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/image.h"

namespace mercer::data {

namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

class PgmParser {
 public:
  PgmParser(std::string_view bytes, const std::string& file) : rest_(bytes), file_(file) {}

  GreyImage parse() {
    const bool binary = rest_.starts_with("P5");
    rest_.remove_prefix(2);
    GreyImage image;
    image.width = number(kMostPixels);
    image.height = number(kMostPixels);
    white_ = number(65535);
    if (image.width == 0 || image.height == 0 || white_ == 0) fail("has an impossible header");
    check_size(image, binary);
    image.pixels.reserve(image.width * image.height);
    if (binary) {
      read_binary(image);
    } else {
      read_text(image);
    }
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    if (!rest_.empty()) fail("has more pixels than its header declares");
    return image;
  }

 private:
  static constexpr std::size_t kMostPixels = std::size_t{1} << 28;

  /// Blanks, comments up to the end of their line, then digits.
  std::size_t number(std::size_t most) {
    while (!rest_.empty() && (is_space(rest_.front()) || rest_.front() == '#')) {
      if (rest_.front() == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1));
      }
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) fail("is truncated");
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value > most) fail("contains something else than its numbers");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  /// Before anything is allocated: every pixel takes bytes, in text at least a digit and mostly a
  /// blank.
  void check_size(const GreyImage& image, bool binary) {
    if (image.width > kMostPixels / image.height) fail("declares too many pixels");
    const std::size_t pixels = image.width * image.height;
    if (pixels > rest_.size() || (binary && pixels > rest_.size() / depth_bytes())) {
      fail("is truncated");
    }
  }

  std::size_t depth_bytes() const { return white_ > 255 ? 2 : 1; }

  void read_binary(GreyImage& image) {
    if (!is_space(rest_.front())) fail("has an impossible header");
    rest_.remove_prefix(1);
    const std::size_t pixels = image.width * image.height;
    const std::size_t depth = depth_bytes();
    if (rest_.size() / depth < pixels) fail("is truncated");
    for (std::size_t i = 0; i < pixels; ++i) {
      std::size_t value = 0;
      for (std::size_t b = 0; b < depth; ++b) {
        value = value << 8 | static_cast<unsigned char>(rest_[i * depth + b]);
      }
      image.pixels.push_back(scaled(value));
    }
    rest_.remove_prefix(pixels * depth);
  }

  void read_text(GreyImage& image) {
    const std::size_t pixels = image.width * image.height;
    while (image.pixels.size() < pixels) image.pixels.push_back(scaled(number(65535)));
  }

  double scaled(std::size_t value) const {
    if (value > white_) fail("has a pixel brighter than its header allows");
    return static_cast<double>(value) * 255 / static_cast<double>(white_);
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw FileError(fmt::format("'{}': the PGM picture {}", file_, problem));
  }

  std::string_view rest_;
  const std::string& file_;
  std::size_t white_ = 255;
};

}  // namespace

GreyImage decode_pgm(std::string_view bytes, const std::string& file) {
  return PgmParser(bytes, file).parse();
}

bool is_image(std::string_view bytes) {
  const bool pgm = bytes.size() > 2 && (bytes.starts_with("P2") || bytes.starts_with("P5")) &&
                   (is_space(bytes[2]) || bytes[2] == '#');
  return pgm || bytes.starts_with(kPngMagic);
}

GreyImage decode_image(std::string_view bytes, const std::string& file) {
  if (!is_image(bytes)) {
    throw FileError(fmt::format("'{}' is {}", file,
                                bytes.empty() ? "empty" : "neither a PNG nor a grey PGM picture"));
  }
  return bytes.starts_with(kPngMagic) ? decode_png(bytes, file) : decode_pgm(bytes, file);
}

}  // namespace mercer::data
