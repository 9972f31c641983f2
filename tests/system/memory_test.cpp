#include "system/memory.h"

#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace mercer::system {
namespace {

TEST(Memory, LimitIsWhatWasAskedForOrHalfOfTheInstalledMemory) {
  EXPECT_EQ(memory_limit_bytes(12345), 12345U);
  EXPECT_EQ(memory_limit_bytes(0), installed_memory_bytes() / 2);
  EXPECT_GT(installed_memory_bytes(), std::uint64_t{64} << 20);
}

TEST(Memory, PeakGrowsWithMemoryThatWasTouched) {
  const std::uint64_t before = peak_memory_bytes();
  LargeBuffer buffer(before + (std::size_t{64} << 20));
  std::memset(buffer.data(), 1, buffer.size_bytes());
  EXPECT_GT(peak_memory_bytes(), before + (std::size_t{32} << 20));
}

TEST(Memory, GrowthIsCountedFromTheMark) {
  {
    LargeBuffer before(std::size_t{96} << 20);
    std::memset(before.data(), 1, before.size_bytes());
  }
  const MemoryMark mark;
  if (!mark.growth_bytes()) GTEST_SKIP() << "the system does not reset its high-water mark";
  EXPECT_LT(*mark.growth_bytes(), std::size_t{16} << 20);
  {
    LargeBuffer buffer(std::size_t{64} << 20);
    std::memset(buffer.data(), 1, buffer.size_bytes());
  }
  EXPECT_GT(*mark.growth_bytes(), std::size_t{48} << 20);
  EXPECT_LT(*mark.growth_bytes(), std::size_t{90} << 20);
}

TEST(Memory, BytesAreWrittenForPeople) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(4.0 * (1ULL << 30)), "4.0 GiB");
}

TEST(Memory, AdviceOnPagesChangesNoContents) {
  std::vector<char> bytes(10'000'000, 'x');
  advise_huge_pages(bytes.data() + 3, bytes.size() - 3);
  advise_huge_pages(bytes.data(), 1);
  EXPECT_EQ(bytes, std::vector<char>(10'000'000, 'x'));
}

TEST(Memory, MovedBuffersKeepTheirContents) {
  LargeBuffer first(4096);
  std::memset(first.data(), 7, 4096);
  LargeBuffer second = std::move(first);
  EXPECT_EQ(second.size_bytes(), 4096U);
  EXPECT_EQ(static_cast<const char*>(second.data())[4095], 7);
  EXPECT_THROW(LargeBuffer(std::size_t{1} << 62), std::bad_alloc);
}

}  // namespace
}  // namespace mercer::system
