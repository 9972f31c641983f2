#pragma once

#include <string>

namespace mercer::testing {

/// What the call says when it throws `ErrorType`, or "no error". Other errors pass through and fail
/// the test.
template <class ErrorType, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const ErrorType& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace mercer::testing
