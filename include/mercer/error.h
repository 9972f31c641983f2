#pragma once

#include <stdexcept>
#include <string>

namespace mercer {

/// Root of everything mercer throws on purpose. `what()` names the value, the place and a remedy.
/// The library never prints, exits or aborts; a failed allocation is the usual std::bad_alloc.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option or argument is out of its range, or does not fit the others.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// The data cannot be used: NaN, Inf, ragged rows, negative histograms, an asymmetric Gram matrix.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A file cannot be read, written or understood.
class FileError : public Error {
 public:
  using Error::Error;
};

/// The arithmetic broke down: overflow of kernel values, a kernel that is zero everywhere.
class NumericalError : public Error {
 public:
  using Error::Error;
};

/// All points are one in feature space, or the kernel is zero on them: there is nothing to extract.
class NoVariation : public NumericalError {
 public:
  using NumericalError::NumericalError;
};

/// The work needs more than `RunOptions::memory_limit_bytes`; says how much and what else to try.
class MemoryLimitError : public Error {
 public:
  using Error::Error;
};

/// `RunOptions::cancelled` returned true; nothing was changed.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace mercer
