#pragma once

// Which instruction sets the dispatched sources are compiled for: AVX-512, AVX2, SSE4 and plain
// scalar code for everything older. SSSE3 is left out: CPUs that stop there are gone, and each set
// costs compile time.
#define HWY_DISABLED_TARGETS HWY_SSSE3
