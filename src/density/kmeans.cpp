#include "density/kmeans.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/kernel.h>

#include "density/nearest_distances.h"
#include "density/squared_distance.h"
#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/tile.h"
#include "engine/weighted_draw.h"

namespace mercer::density {

namespace {

using engine::kBlock;

/// Rows that are packed together; a multiple of kBlock.
constexpr std::size_t kChunkRows = 5 * kBlock;

double weight_of(std::span<const double> weights, std::size_t row) {
  return weights.empty() ? 1 : weights[row];
}

/// Where inner products are taken: y = scale x - shift, near the origin and of size 1.
struct Frame {
  double scale = 1;
  std::vector<double> shift;

  Frame(MatrixView<const double> points, MatrixView<const double> centres)
      : scale(std::min(squaring_scale(points), squaring_scale(centres))),
        shift(points.cols(), 0.0) {
    const double share = scale / static_cast<double>(points.rows());
    for (std::size_t i = 0; i < points.rows(); ++i) {
      for (std::size_t j = 0; j < points.cols(); ++j) shift[j] += share * points(i, j);
    }
  }

  /// Writes y and returns |y|^2.
  double place(std::span<const double> x, std::span<double> y) const {
    double norm2 = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      y[j] = scale * x[j] - shift[j];
      norm2 += y[j] * y[j];
    }
    return norm2;
  }
};

/// Scores <y, c> - |c|^2 / 2 of rows with centres; the greatest belongs to the nearest centre. One
/// more coordinate, 1 for rows and -|c|^2 / 2 for centres, lets a linear tile give the whole score.
class NearestCentre {
 public:
  NearestCentre(const Frame& frame, MatrixView<const double> points,
                MatrixView<const double> centres)
      : frame_(frame), points_(points), centres_(centres), tiles_(pack_centres()) {}

  /// Nearest centres of the rows from `begin` on, at most kChunkRows of them.
  void assign(std::size_t begin, std::span<std::size_t> nearest) const {
    Matrix<double> placed(nearest.size(), points_.cols() + 1);
    std::vector<double> norms(nearest.size());
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      norms[i] = std::sqrt(frame_.place(points_.row(begin + i), placed.row(i)));
      placed(i, points_.cols()) = 1;
    }
    const engine::KernelPoints<double> rows(Linear{}, placed, {});
    for (std::size_t block = 0; block < rows.blocks(); ++block) {
      const Best best = best_of_block(rows, block);
      for (std::size_t i = 0; i < rows.block_size(block); ++i) {
        const std::size_t row = block * kBlock + i;
        // The rounding of two scores, each a sum of d + 1 products of coordinates that were
        // themselves rounded.
        const double slack = (2 * static_cast<double>(points_.cols()) + 16) * 0x1p-53 *
                             (norms[row] + largest_norm_) * largest_norm_;
        nearest[row] = best.score[i] - best.second[i] > slack
                           ? static_cast<std::size_t>(best.centre[i])
                           : nearest_by_differences(begin + row);
      }
    }
  }

 private:
  /// For the rows of a block. Indices are doubles (exact up to 2^53) so that the loop over rows
  /// becomes vector instructions of one width.
  struct Best {
    std::array<double, kBlock> score;
    std::array<double, kBlock> second;
    std::array<double, kBlock> centre;
  };

  engine::KernelPoints<double> pack_centres() {
    Matrix<double> placed(centres_.rows(), centres_.cols() + 1);
    for (std::size_t c = 0; c < centres_.rows(); ++c) {
      const double norm2 = frame_.place(centres_.row(c), placed.row(c));
      placed(c, centres_.cols()) = -norm2 / 2;
      largest_norm_ = std::max(largest_norm_, std::sqrt(norm2));
    }
    return {Linear{}, placed, {}};
  }

  Best best_of_block(const engine::KernelPoints<double>& rows, std::size_t block) const {
    const std::size_t width = engine::panel_width<double>();
    const std::size_t panels = (rows.block_size(block) + width - 1) / width;
    Best best;
    best.score.fill(-std::numeric_limits<double>::infinity());
    best.second = best.score;
    best.centre.fill(0);
    std::vector<double> tile(kBlock * kBlock);
    for (std::size_t centre_block = 0; centre_block < tiles_.blocks(); ++centre_block) {
      rows.block(block, tiles_, centre_block, tile.data());
      for (std::size_t panel = 0; panel < panels; ++panel) {
        double* score = best.score.data() + panel * width;
        double* second = best.second.data() + panel * width;
        double* centre = best.centre.data() + panel * width;
        for (std::size_t c = 0; c < tiles_.block_size(centre_block); ++c) {
          const double* scores = tile.data() + (panel * kBlock + c) * width;
          const auto index = static_cast<double>(centre_block * kBlock + c);
          for (std::size_t lane = 0; lane < width; ++lane) {
            const double s = scores[lane];
            const double loser = s < score[lane] ? s : score[lane];
            centre[lane] = s > score[lane] ? index : centre[lane];
            second[lane] = loser > second[lane] ? loser : second[lane];
            score[lane] = s > score[lane] ? s : score[lane];
          }
        }
      }
    }
    return best;
  }

  std::size_t nearest_by_differences(std::size_t row) const {
    std::size_t nearest = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres_.rows(); ++c) {
      const double distance = squared_distance(points_.row(row), centres_.row(c), frame_.scale);
      if (distance < smallest) {
        smallest = distance;
        nearest = c;
      }
    }
    return nearest;
  }

  const Frame& frame_;
  MatrixView<const double> points_;
  MatrixView<const double> centres_;
  double largest_norm_ = 0;
  engine::KernelPoints<double> tiles_;
};

std::vector<std::size_t> assign_in_frame(const Frame& frame, MatrixView<const double> points,
                                         MatrixView<const double> centres,
                                         engine::Workers& workers) {
  const NearestCentre rule(frame, points, centres);
  std::vector<std::size_t> nearest(points.rows());
  workers.for_each((points.rows() + kChunkRows - 1) / kChunkRows, [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunkRows;
    rule.assign(begin,
                std::span(nearest).subspan(begin, std::min(kChunkRows, points.rows() - begin)));
  });
  return nearest;
}

void check_centres(MatrixView<const double> points, MatrixView<const double> centres) {
  if (centres.rows() > 0 && centres.cols() == points.cols()) return;
  throw InvalidArgument(fmt::format("{} centres with {} columns cannot divide points with {}",
                                    centres.rows(), centres.cols(), points.cols()));
}

/// Rows in the order of their cells, those of a cell ascending; cell c has [begin[c], begin[c+1]).
struct RowsByCell {
  std::vector<std::size_t> begin;
  std::vector<std::size_t> rows;

  RowsByCell(std::span<const std::size_t> assignment, std::size_t cells)
      : begin(cells + 1, 0), rows(assignment.size()) {
    for (const std::size_t cell : assignment) ++begin[cell + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    auto next = begin;
    for (std::size_t i = 0; i < assignment.size(); ++i) rows[next[assignment[i]]++] = i;
  }

  std::span<const std::size_t> of(std::size_t cell) const {
    return std::span(rows).subspan(begin[cell], begin[cell + 1] - begin[cell]);
  }
};

/// Renumbers the cells that have rows, in order, and returns how many there are.
std::size_t drop_empty_cells(std::span<std::size_t> assignment, std::size_t cells) {
  std::vector<std::size_t> number(cells, 0);
  for (const std::size_t cell : assignment) number[cell] = 1;
  const std::size_t kept = std::accumulate(number.begin(), number.end(), std::size_t{0});
  std::exclusive_scan(number.begin(), number.end(), number.begin(), std::size_t{0});
  for (std::size_t& cell : assignment) cell = number[cell];
  return kept;
}

/// Centres and weights of the cells from their rows. Sums are of differences from the cell's first
/// row, so that a cell of copies has exactly their value and an offset of the data costs no digits.
void move_to_means(MatrixView<const double> points, std::span<const double> weights, double scale,
                   Cells& cells, engine::Workers& workers) {
  const std::size_t count = drop_empty_cells(cells.assignment, cells.centres.rows());
  const RowsByCell rows(cells.assignment, count);
  cells.centres = Matrix<double>(count, points.cols());
  cells.weights.assign(count, 0.0);
  workers.for_each(count, [&](std::size_t cell) {
    const auto first = points.row(rows.of(cell).front());
    const auto centre = cells.centres.row(cell);
    double total = 0;
    for (const std::size_t row : rows.of(cell)) {
      const double weight = weight_of(weights, row);
      const auto x = points.row(row);
      total += weight;
      for (std::size_t j = 0; j < x.size(); ++j) {
        centre[j] += weight * (scale * x[j] - scale * first[j]);
      }
    }
    for (std::size_t j = 0; j < first.size(); ++j) {
      centre[j] = (scale * first[j] + centre[j] / total) / scale;
    }
    cells.weights[cell] = total;
  });
}

}  // namespace

std::vector<std::size_t> kmeans_seeds(MatrixView<const double> points,
                                      std::span<const double> weights, std::size_t m,
                                      const engine::RandomStream& stream,
                                      engine::Workers& workers) {
  // Only ratios of weights matter: products with distances must not overflow or vanish either.
  const double unit = squaring_scale({weights.data(), weights.size(), 1});
  NearestDistances nearest(points);
  std::vector<double> masses(points.rows());
  for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = unit * weight_of(weights, i);
  std::vector<std::size_t> seeds;
  while (seeds.size() < m) {
    const engine::WeightedDraw draw(masses);
    if (draw.total() == 0) break;
    seeds.push_back(draw.draw(stream.uniform(seeds.size())));
    nearest.choose(seeds.back(), workers);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      masses[i] = unit * weight_of(weights, i) * nearest.values()[i];
    }
  }
  return seeds;
}

std::vector<std::size_t> assign_nearest(MatrixView<const double> points,
                                        MatrixView<const double> centres,
                                        engine::Workers& workers) {
  check_centres(points, centres);
  return assign_in_frame(Frame(points, centres), points, centres, workers);
}

Cells lloyd(MatrixView<const double> points, std::span<const double> weights,
            MatrixView<const double> centres, std::size_t iterations, engine::Workers& workers) {
  check_centres(points, centres);
  if (iterations == 0) throw InvalidArgument("Lloyd's algorithm needs at least one iteration");
  const Frame frame(points, centres);
  Cells cells;
  cells.centres = Matrix<double>(centres);
  while (cells.iterations < iterations) {
    auto assignment = assign_in_frame(frame, points, cells.centres, workers);
    cells.converged = cells.iterations > 0 && assignment == cells.assignment;
    if (cells.converged) break;
    cells.assignment = std::move(assignment);
    move_to_means(points, weights, frame.scale, cells, workers);
    ++cells.iterations;
  }
  return cells;
}

}  // namespace mercer::density
