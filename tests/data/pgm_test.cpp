#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/image.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::message_of;

std::vector<double> pixels_of(const std::string& bytes) {
  return decode_image(bytes, "test").pixels;
}

TEST(Pgm, ReadsTextAndBytes) {
  const std::vector<double> expected{0, 100, 255, 3, 4, 5};
  EXPECT_EQ(pixels_of("P2\n3 2\n255\n0 100 255\n3 4 5\n"), expected);
  EXPECT_EQ(pixels_of("P2 # comment\n# another\n3 2 255 0 100 255 3 4 5"), expected);
  EXPECT_EQ(pixels_of(std::string("P5\n3 2\n255\n\x00\x64\xff\x03\x04\x05", 17)), expected);
  const GreyImage image = decode_image("P2 3 2 255 0 100 255 3 4 5", "test");
  EXPECT_EQ(image.width, 3U);
  EXPECT_EQ(image.height, 2U);
}

TEST(Pgm, EveryDepthReachesFromBlackToWhite) {
  EXPECT_EQ(pixels_of("P2 3 1 15 0 5 15"), (std::vector<double>{0, 85, 255}));
  EXPECT_EQ(pixels_of(std::string("P5 2 1 65535 \xff\xff\x01\x01", 17)),
            (std::vector<double>{255, 1}));
}

TEST(Pgm, RefusesWhatIsNoPicture) {
  for (const std::string bad : {"P2",
                                "P2 ",
                                "P2 1 1",
                                "P2 1 1 255",
                                "P2 0 1 255",
                                "P2 1 0 255 ",
                                "P2 1 1 0 0",
                                "P2 1 1 65536 0",
                                "P2 1 1 255 256",
                                "P2 2 1 255 1",
                                "P2 1 1 255 1 2",
                                "P2 1 1 255 x",
                                "P2 -1 1 255 1",
                                "P5 1 1 255",
                                "P5 1 1 255 ",
                                "P5 1 1 255 ab",
                                "P5 1 1 300 a",
                                "P5 1 1 100 \xff",
                                "P6 1 1 255 abc",
                                "P2x",
                                "",
                                "GIF89a",
                                "P2 #"}) {
    EXPECT_THROW(decode_image(bad, "test"), FileError) << bad;
  }
  EXPECT_EQ(message_of<FileError>([] { decode_image("P6 1 1 255 abc", "test"); }),
            "'test' is neither a PNG nor a grey PGM picture");
}

TEST(Pgm, EnormousDeclarationsAllocateNothing) {
  for (const std::string bad :
       {"P5 4294967296 4294967296 255 ab", "P5 16384 16384 255 ab", "P2 16384 16384 255 1 2",
        "P5 99999999999999999999999 1 255 a", "P5 268435456 268435456 255 ab"}) {
    EXPECT_THROW(decode_image(bad, "test"), FileError) << bad;
  }
}

}  // namespace
}  // namespace mercer::data
