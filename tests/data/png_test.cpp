#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/image.h"
#include "data/png_bytes.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::encode_png;
using testing::message_of;
using testing::PngColour;
using testing::PngPicture;

std::vector<double> pixels_of(const PngPicture& picture) {
  const GreyImage image = decode_image(encode_png(picture), "test");
  EXPECT_EQ(image.width, picture.width);
  EXPECT_EQ(image.height, picture.height);
  return image.pixels;
}

PngPicture gradient(std::size_t width, std::size_t height) {
  PngPicture picture{.width = width, .height = height, .samples = {}};
  for (std::size_t i = 0; i < width * height; ++i) {
    picture.samples.push_back(static_cast<std::uint16_t>(i * 7 % 256));
  }
  return picture;
}

TEST(Png, ReadsGreyPictures) {
  const PngPicture picture = gradient(5, 3);
  EXPECT_EQ(pixels_of(picture),
            std::vector<double>(picture.samples.begin(), picture.samples.end()));
}

TEST(Png, ReadsInterlacedPictures) {
  PngPicture picture = gradient(21, 17);
  picture.interlaced = true;
  EXPECT_EQ(pixels_of(picture),
            std::vector<double>(picture.samples.begin(), picture.samples.end()));
}

TEST(Png, EveryDepthReachesFromBlackToWhite) {
  EXPECT_EQ(pixels_of({.width = 3, .height = 1, .bit_depth = 1, .samples = {0, 1, 0}}),
            (std::vector<double>{0, 255, 0}));
  EXPECT_EQ(pixels_of({.width = 4, .height = 1, .bit_depth = 2, .samples = {0, 1, 2, 3}}),
            (std::vector<double>{0, 85, 170, 255}));
  EXPECT_EQ(pixels_of({.width = 2, .height = 1, .bit_depth = 4, .samples = {15, 5}}),
            (std::vector<double>{255, 85}));
  EXPECT_EQ(pixels_of({.width = 3, .height = 1, .bit_depth = 16, .samples = {65535, 257, 1}}),
            (std::vector<double>{255, 1, 1 / 257.0}));
}

TEST(Png, ColoursBecomeTheirBrightness) {
  const std::vector<std::uint16_t> samples{255, 0, 0, 0, 255, 0, 0, 0, 255, 200, 100, 50};
  const std::vector<double> pixels =
      pixels_of({.width = 2, .height = 2, .colour = PngColour::rgb, .samples = samples});
  EXPECT_DOUBLE_EQ(pixels[0], 0.299 * 255);
  EXPECT_DOUBLE_EQ(pixels[1], 0.587 * 255);
  EXPECT_DOUBLE_EQ(pixels[2], 0.114 * 255);
  EXPECT_DOUBLE_EQ(pixels[3], 0.299 * 200 + 0.587 * 100 + 0.114 * 50);
  EXPECT_DOUBLE_EQ(pixels_of({.width = 2,
                              .height = 1,
                              .colour = PngColour::palette,
                              .bit_depth = 2,
                              .samples = {1, 3}})[1],
                   luma(30, 60, 90));
}

TEST(Png, TransparencyIsPassedOver) {
  EXPECT_EQ(pixels_of({.width = 2,
                       .height = 1,
                       .colour = PngColour::grey_alpha,
                       .samples = {100, 0, 200, 255}}),
            (std::vector<double>{100, 200}));
  EXPECT_DOUBLE_EQ(pixels_of({.width = 1,
                              .height = 1,
                              .colour = PngColour::rgba,
                              .bit_depth = 16,
                              .samples = {65535, 65535, 65535, 7}})[0],
                   255);
}

TEST(Png, EveryTruncationIsAnError) {
  const std::string whole = encode_png(gradient(9, 9));
  for (std::size_t size = 0; size + 12 < whole.size(); ++size) {  // the last chunk carries nothing
    EXPECT_THROW(decode_image(whole.substr(0, size), "test"), FileError) << size;
  }
  EXPECT_EQ(message_of<FileError>([&] { decode_image(whole.substr(0, 20), "test"); }),
            "'test': the PNG picture cannot be read: it is truncated");
}

TEST(Png, DamageOfTheHeaderIsAnError) {
  const std::string whole = encode_png(gradient(9, 9));
  for (std::size_t i = 0; i < 33; ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THROW(decode_image(damaged, "test"), FileError) << "byte " << i;
  }
}

TEST(Png, EnormousDeclarationsAllocateNothing) {
  // The header of a picture of 1,000,000 x 1,000,000 pixels, with a right checksum.
  PngPicture small = gradient(1, 1);
  std::string bytes = encode_png(small);
  const std::string huge_header(
      "\x49\x48\x44\x52\x00\x0f\x42\x40\x00\x0f\x42\x40\x08\x00\x00\x00\x00", 17);
  std::uint32_t crc = 0xffffffff;
  for (const char c : huge_header) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = (crc & 1) != 0 ? 0xedb88320 ^ (crc >> 1) : crc >> 1;
  }
  crc = ~crc;
  bytes.replace(12, 17, huge_header);
  for (std::size_t i = 0; i < 4; ++i) bytes[29 + i] = static_cast<char>(crc >> (24 - 8 * i));
  EXPECT_EQ(message_of<FileError>([&] { decode_image(bytes, "test"); }),
            "'test': the PNG picture cannot be read: it is truncated");
}

}  // namespace
}  // namespace mercer::data
