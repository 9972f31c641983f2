#include "bindings/incremental.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <pybind11/stl/filesystem.h>

#include <mercer/incremental.h>

#include "bindings/model.h"
#include "bindings/options.h"
#include "bindings/rows.h"
#include "bindings/run.h"
#include "bindings/temporary_file.h"

namespace py = pybind11;

namespace mercer::python {

namespace {

/// A stream and its kernel, used by one thread at a time.
class BoundStream {
 public:
  BoundStream(IncrementalFit stream, std::optional<BoundKernel> own_kernel)
      : stream_(std::move(stream)), own_kernel_(std::move(own_kernel)) {}

  void partial_fit(const py::object& points, const py::object& weights, RunSettings run) {
    Rows rows(points);
    const std::vector<double> of_rows = read_weights(weights);
    Call call(for_kernel(std::move(run)));
    call([&](const RunOptions& options) {
      const std::lock_guard lock(mutex_);
      stream_.partial_fit(rows.doubles(), of_rows, options);
    });
  }

  BoundModel finish(const py::dict& given, RunSettings run) {
    const auto options = read_options<BlockFitOptions>(given, "incremental");
    Call call(for_kernel(std::move(run)));
    Model model = call([&](const RunOptions& run_options) {
      const std::lock_guard lock(mutex_);
      return stream_.finish(options, run_options).model;
    });
    return {.model = std::move(model), .own_kernel = own_kernel_};
  }

  void save(const std::filesystem::path& path) const {
    const py::gil_scoped_release unlock;
    const std::lock_guard lock(mutex_);
    stream_.save(path);
  }

  static std::unique_ptr<BoundStream> load(const std::filesystem::path& path) {
    return std::make_unique<BoundStream>(IncrementalFit::load(path), std::nullopt);
  }

  std::uint64_t rows() const { return stream_.rows(); }
  std::uint64_t blocks() const { return stream_.blocks(); }

 private:
  RunSettings for_kernel(RunSettings run) const {
    if (own_kernel_ && own_kernel_->is_python()) run.threads = 1;
    return run;
  }

  IncrementalFit stream_;
  std::optional<BoundKernel> own_kernel_;
  mutable std::mutex mutex_;
};

std::unique_ptr<BoundStream> begin(const BoundKernel& kernel, const py::dict& options) {
  std::optional<BoundKernel> own;
  if (std::holds_alternative<Custom>(kernel.kernel())) own = kernel;
  return std::make_unique<BoundStream>(
      IncrementalFit(kernel.kernel(), read_options<IncrementalOptions>(options, "incremental")),
      std::move(own));
}

}  // namespace

void bind_incremental(py::module_& module) {
  py::class_<BoundStream>(module, "Stream", "Kernel PCA of rows that arrive block by block.")
      .def(py::init(&begin), py::arg("kernel"), py::arg("options") = py::dict())
      .def("partial_fit", &BoundStream::partial_fit, py::arg("points"),
           py::arg("weights") = py::none(), py::arg("run") = RunSettings{})
      .def("finish", &BoundStream::finish, py::arg("options") = py::dict(),
           py::arg("run") = RunSettings{})
      .def_property_readonly("rows", &BoundStream::rows)
      .def_property_readonly("blocks", &BoundStream::blocks)
      .def("save", &BoundStream::save, py::arg("path"))
      .def_static("load", &BoundStream::load, py::arg("path"))
      .def(
          py::pickle([](const BoundStream& stream) { return to_bytes(stream); },
                     [](const py::bytes& bytes) { return from_bytes(bytes, &BoundStream::load); }));
}

}  // namespace mercer::python
