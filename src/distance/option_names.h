#pragma once

#include <mercer/sparse_distance.h>

namespace mercer::distance {

// Names of options in summaries and on the command line.

const char* option_name(DistanceMap map);
const char* option_name(DistanceOrigin origin);
const char* option_name(SubsetSelection selection);

}  // namespace mercer::distance
