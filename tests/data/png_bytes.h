#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mercer::testing {

enum class PngColour { grey, grey_alpha, rgb, rgba, palette };

struct PngPicture {
  std::size_t width = 0;
  std::size_t height = 0;
  PngColour colour = PngColour::grey;
  int bit_depth = 8;
  bool interlaced = false;
  /// Samples of each pixel one after the other; palette entries for `palette`, where entry i is the
  /// colour (10 i, 20 i, 30 i).
  std::vector<std::uint16_t> samples;
};

std::string encode_png(const PngPicture& picture);

}  // namespace mercer::testing
