#include "data/png_bytes.h"

#include <array>
#include <stdexcept>

#include <png.h>

namespace mercer::testing {

namespace {

int colour_type(PngColour colour) {
  switch (colour) {
    case PngColour::grey:
      return PNG_COLOR_TYPE_GRAY;
    case PngColour::grey_alpha:
      return PNG_COLOR_TYPE_GRAY_ALPHA;
    case PngColour::rgb:
      return PNG_COLOR_TYPE_RGB;
    case PngColour::rgba:
      return PNG_COLOR_TYPE_RGBA;
    case PngColour::palette:
      break;
  }
  return PNG_COLOR_TYPE_PALETTE;
}

void on_error(png_structp /*png*/, png_const_charp message) {
  throw std::runtime_error(message);
}

/// Samples packed from the most significant bit on, 16 bits big-endian, rows beginning at bytes.
std::vector<png_byte> pack(const PngPicture& picture) {
  std::vector<png_byte> bytes;
  const std::size_t per_row = picture.samples.size() / picture.height;
  for (std::size_t y = 0; y < picture.height; ++y) {
    unsigned bits = 0;
    int count = 0;
    for (std::size_t i = 0; i < per_row; ++i) {
      bits = bits << picture.bit_depth | picture.samples[y * per_row + i];
      count += picture.bit_depth;
      for (; count >= 8; count -= 8) bytes.push_back(static_cast<png_byte>(bits >> (count - 8)));
    }
    if (count > 0) bytes.push_back(static_cast<png_byte>(bits << (8 - count)));
  }
  return bytes;
}

}  // namespace

std::string encode_png(const PngPicture& picture) {
  std::string encoded;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &encoded,
      [](png_structp p, png_bytep data, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), count);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width),
               static_cast<png_uint_32>(picture.height), picture.bit_depth,
               colour_type(picture.colour),
               picture.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (picture.colour == PngColour::palette) {
    std::array<png_color, 8> palette{};
    for (std::size_t i = 0; i < palette.size(); ++i) {
      palette[i] = {static_cast<png_byte>(10 * i), static_cast<png_byte>(20 * i),
                    static_cast<png_byte>(30 * i)};
    }
    png_set_PLTE(png, info, palette.data(), 1 << std::min(picture.bit_depth, 3));
  }
  png_write_info(png, info);
  std::vector<png_byte> bytes = pack(picture);
  std::vector<png_bytep> rows;
  for (std::size_t y = 0; y < picture.height; ++y) {
    rows.push_back(bytes.data() + y * bytes.size() / picture.height);
  }
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return encoded;
}

}  // namespace mercer::testing
