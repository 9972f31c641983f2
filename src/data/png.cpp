#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <png.h>

#include <mercer/error.h>

#include "data/image.h"

namespace mercer::data {

namespace {

/// libpng reports errors by a long jump. Each function below that calls it sets the place to jump
/// to and has no object with a destructor in between, so that no destructor is jumped over.
class PngDecoder {
 public:
  explicit PngDecoder(std::string_view bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ == nullptr) throw std::bad_alloc();
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  /// Everything up to the first pixel. False on an error.
  bool read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, on_read);
    png_set_user_limits(png_, kMostSide, kMostSide);
    png_set_chunk_malloc_max(png_, kMostChunkBytes);
    png_read_info(png_, info_);
    return true;
  }

  /// Bytes of the pixels as they are compressed.
  std::size_t stored_bytes() const { return png_get_rowbytes(png_, info_) * height(); }
  std::size_t width() const { return png_get_image_width(png_, info_); }
  std::size_t height() const { return png_get_image_height(png_, info_); }

  /// Asks for one or three channels of 8 or 16 bits. False on an error.
  bool choose_output() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_alpha(png_);
    png_read_update_info(png_, info_);
    return true;
  }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  std::size_t channels() const { return png_get_channels(png_, info_); }
  std::size_t depth_bytes() const { return png_get_bit_depth(png_, info_) / 8; }

  /// Decodes into one pointer per row. False on an error.
  bool read_pixels(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  const char* message() const { return message_.data(); }

 private:
  static constexpr png_uint_32 kMostSide = 1U << 20;
  static constexpr png_alloc_size_t kMostChunkBytes = png_alloc_size_t{8} << 20;

  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto& message_buffer = static_cast<PngDecoder*>(png_get_error_ptr(png))->message_;
    std::strncpy(message_buffer.data(), message, message_buffer.size() - 1);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp /*png*/, png_const_charp /*message*/) {}
  static void on_read(png_structp png, png_bytep buffer, std::size_t count) {
    std::string_view& rest = static_cast<PngDecoder*>(png_get_io_ptr(png))->rest_;
    if (count > rest.size()) png_error(png, "it is truncated");
    std::memcpy(buffer, rest.data(), count);
    rest.remove_prefix(count);
  }

  std::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 128> message_{};
};

/// The sample with this number in a decoded row; those of 16 bits are big-endian.
double sample(const png_byte* row, std::size_t i, std::size_t depth_bytes) {
  if (depth_bytes == 1) return row[i];
  return (row[2 * i] * 256 + row[2 * i + 1]) / 257.0;
}

}  // namespace

GreyImage decode_png(std::string_view bytes, const std::string& file) {
  PngDecoder decoder(bytes);
  const auto fail = [&](std::string_view problem) {
    throw FileError(fmt::format("'{}': the PNG picture cannot be read: {}", file, problem));
  };
  if (!decoder.read_header()) fail(decoder.message());
  // Deflate expands at most 1032-fold, so a larger picture cannot be in the file.
  constexpr std::size_t kMostExpansion = 1032;
  if (decoder.stored_bytes() / kMostExpansion > bytes.size()) fail("it is truncated");
  if (!decoder.choose_output()) fail(decoder.message());

  const std::size_t row_bytes = decoder.row_bytes();
  std::vector<png_byte> decoded(row_bytes * decoder.height());
  std::vector<png_bytep> rows(decoder.height());
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = decoded.data() + y * row_bytes;
  if (!decoder.read_pixels(rows.data())) fail(decoder.message());

  GreyImage image{decoder.width(), decoder.height(), {}};
  image.pixels.reserve(image.width * image.height);
  const std::size_t channels = decoder.channels();
  const std::size_t depth = decoder.depth_bytes();
  for (std::size_t y = 0; y < image.height; ++y) {
    const auto at = [&](std::size_t i) { return sample(rows[y], i, depth); };
    for (std::size_t x = 0; x < image.width; ++x) {
      const std::size_t i = x * channels;
      image.pixels.push_back(channels >= 3 ? luma(at(i), at(i + 1), at(i + 2)) : at(i));
    }
  }
  return image;
}

}  // namespace mercer::data
