#pragma once

#include <mercer/input.h>
#include <mercer/kernel.h>

namespace mercer::methods {

// Parts of the data go together when they were made alike. All throw InvalidArgument, saying what
// differs.

bool same_kernel(const Kernel& a, const Kernel& b);
void require_same_kernel(const Kernel& a, const Kernel& b);
/// The same columns of a table, scaled alike.
void require_same_input(const InputMaps& a, const InputMaps& b);

}  // namespace mercer::methods
