#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace mercer::system {

/// Physical memory of the machine, or the limit of the control group the process runs in when that
/// is smaller.
std::uint64_t installed_memory_bytes();

/// The largest resident size that this process has had.
std::uint64_t peak_memory_bytes();

/// How much more memory the process comes to hold while this lives. The system keeps one high-water
/// mark for a process, which is reset here, so only one of these counts at a time.
class MemoryMark {
 public:
  /// Gives memory that was freed back to the system first, or it would hide what is taken next.
  MemoryMark();
  /// Nothing where the system cannot reset its mark.
  std::optional<std::uint64_t> growth_bytes() const;

 private:
  std::optional<std::uint64_t> before_;
};

/// `asked` itself, or half of the installed memory when it is 0.
std::uint64_t memory_limit_bytes(std::uint64_t asked);

/// "4.0 GiB" and the like, for messages.
std::string format_bytes(double bytes);

/// Asks for huge pages under memory that will be written soon, when there is much of it; does
/// nothing where there are none.
void advise_huge_pages(void* begin, std::size_t bytes);

/// A large block of uninitialised memory, in huge pages where these pay: the first touch of
/// ordinary pages costs more than the kernel values that go into them.
class LargeBuffer {
 public:
  LargeBuffer() = default;
  enum class Pages { huge, ordinary };
  /// Throws std::bad_alloc. Ordinary pages where only scattered parts of the block may ever be
  /// used: a huge page becomes resident as a whole.
  explicit LargeBuffer(std::size_t bytes, Pages pages = Pages::huge);
  ~LargeBuffer();
  LargeBuffer(LargeBuffer&& other) noexcept;
  LargeBuffer& operator=(LargeBuffer&& other) noexcept;

  void* data() const { return data_; }
  std::size_t size_bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mercer::system
