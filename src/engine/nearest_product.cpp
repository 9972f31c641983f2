#include "engine/nearest_product.h"

#include <cmath>
#include <queue>
#include <tuple>

#include <mercer/error.h>

namespace mercer::engine {

namespace {

double frobenius_norm(const Matrix<double>& a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a.data()[i] * a.data()[i];
  return std::sqrt(sum);
}

/// Makes the norm 1. Throws NumericalError when it is 0 or not finite.
void normalize(Matrix<double>& a) {
  const double norm = frobenius_norm(a);
  if (!std::isfinite(norm)) {
    throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
  }
  if (norm == 0) {
    throw NumericalError(
        "the diagonal blocks of the kernel matrix add up to zero (a kernel that is zero on all "
        "points, or an indefinite one): it has no nearest product to start from");
  }
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] /= norm;
}

double distance(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a.data()[i] - b.data()[i];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

/// A product of two numbers of the same sign, counted from the end of the lists that is largest in
/// magnitude.
struct Candidate {
  double value = 0;
  bool negative = false;
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Whether b comes out of the heap before a.
struct ComesLater {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return std::tuple(-a.value, a.negative, a.first, a.second) >
           std::tuple(-b.value, b.negative, b.first, b.second);
  }
};

class ProductHeap {
 public:
  ProductHeap(std::span<const double> first, std::span<const double> second)
      : first_(first), second_(second) {
    push(/*negative=*/false, 0, 0);
    push(/*negative=*/true, 0, 0);
  }

  bool empty() const { return heap_.empty(); }

  ProductValue pop() {
    const Candidate top = heap_.top();
    heap_.pop();
    push(top.negative, top.first, top.second + 1);
    if (top.second == 0) push(top.negative, top.first + 1, 0);
    return {.first = place(first_, top.negative, top.first),
            .second = place(second_, top.negative, top.second),
            .value = top.value};
  }

 private:
  static std::size_t place(std::span<const double> values, bool negative, std::size_t i) {
    return negative ? values.size() - 1 - i : i;
  }

  void push(bool negative, std::size_t i, std::size_t j) {
    if (i >= first_.size() || j >= second_.size()) return;
    const double a = first_[place(first_, negative, i)];
    const double b = second_[place(second_, negative, j)];
    if (negative ? a >= 0 || b >= 0 : a <= 0 || b <= 0) return;
    heap_.push({.value = a * b, .negative = negative, .first = i, .second = j});
  }

  std::span<const double> first_;
  std::span<const double> second_;
  std::priority_queue<Candidate, std::vector<Candidate>, ComesLater> heap_;
};

}  // namespace

NearestProduct nearest_product(BlockGram& k, const NearestProductOptions& options,
                               Workers& workers) {
  workers.phase_range(0, 0);
  NearestProduct product;
  product.second = k.partial_trace(workers);
  normalize(product.second);
  double left = 1;  // half of what remains each time: how many sweeps follow is not known
  while (true) {
    workers.phase_range(1 - left, 1 - left / 2);
    left /= 2;
    auto projection = k.project(product.second, workers);
    normalize(projection.combination);
    ++product.sweeps;
    product.change = distance(projection.combination, product.second);
    product.converged = product.change <= options.tolerance;
    if (product.converged || product.sweeps >= options.max_sweeps) {
      // The factor that went into the sweep: it is the error of this pair that the sweep measured.
      product.first = std::move(projection.coefficients);
      for (std::size_t i = 0; i < product.first.size(); ++i) product.first.data()[i] *= k.scale();
      product.relative_error = std::sqrt(projection.residual2 / projection.norm2);
      return product;
    }
    product.second = std::move(projection.combination);
  }
}

std::vector<ProductValue> largest_products(std::span<const double> first,
                                           std::span<const double> second, std::size_t count) {
  std::vector<ProductValue> products;
  ProductHeap heap(first, second);
  while (products.size() < count && !heap.empty()) products.push_back(heap.pop());
  return products;
}

}  // namespace mercer::engine
