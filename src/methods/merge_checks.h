#pragma once

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

namespace mercer::methods {

// Parts of the data go together when they were made alike. All throw InvalidArgument, saying what
// differs.

bool same_numbers(const Matrix<double>& a, const Matrix<double>& b);
bool same_kernel(const Kernel& a, const Kernel& b);
void require_same_kernel(const Kernel& a, const Kernel& b);
/// The same columns of a table, scaled and projected alike.
void require_same_input(const InputMaps& a, const InputMaps& b);

}  // namespace mercer::methods
