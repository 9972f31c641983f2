#include "engine/block_pairs.h"

#include <algorithm>

namespace mercer::engine {

void for_each_block_pair(std::size_t blocks, Workers& workers,
                         const std::function<void(std::size_t i, std::size_t j)>& task,
                         const std::optional<PhasePart>& part) {
  const auto report = [&](double begin, double end) {
    if (!part) return;
    const double length = part->to - part->from;
    workers.phase_range(part->from + length * begin, part->from + length * end);
  };
  const double rounds = static_cast<double>(blocks + blocks % 2);
  report(0, 1 / rounds);
  workers.for_each(blocks, [&](std::size_t i) { task(i, i); });
  if (blocks < 2) return;
  // One player stays, the others go round; with an odd number the one that stays is nobody.
  const std::size_t circle = blocks % 2 == 0 ? blocks - 1 : blocks;
  for (std::size_t round = 0; round < circle; ++round) {
    const auto done = static_cast<double>(round + 1);
    report(done / rounds, (done + 1) / rounds);
    workers.for_each((circle + 1) / 2, [&](std::size_t k) {
      const std::size_t a = (round + k) % circle;
      const std::size_t b = k == 0 ? circle : (round + circle - k) % circle;
      if (b < blocks) task(std::max(a, b), std::min(a, b));
    });
  }
}

}  // namespace mercer::engine
