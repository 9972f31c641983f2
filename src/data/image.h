#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::data {

/// A grey picture, row by row, black 0 and white 255 whatever the depth of the file.
struct GreyImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<double> pixels;
};

/// Brightness of a colour (ITU-R BT.601, the luma of ordinary digital pictures).
inline double luma(double red, double green, double blue) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

inline constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";

/// PNG or PGM (P2, P5), told apart by their first bytes. Throws FileError when it is neither or
/// damaged; `file` is for messages.
GreyImage decode_image(std::string_view bytes, const std::string& file);

GreyImage decode_png(std::string_view bytes, const std::string& file);
GreyImage decode_pgm(std::string_view bytes, const std::string& file);

/// Whether the first bytes are those of a picture that `decode_image` reads.
bool is_image(std::string_view bytes);

}  // namespace mercer::data
