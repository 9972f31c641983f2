#pragma once

// Everything of mercer's public interface. eigen.h is apart, because it needs Eigen.

#include <mercer/auto.h>
#include <mercer/bandwidth.h>
#include <mercer/block_model.h>
#include <mercer/compress.h>
#include <mercer/cover.h>
#include <mercer/data.h>
#include <mercer/distance.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/feature_analysis.h>
#include <mercer/files.h>
#include <mercer/generate.h>
#include <mercer/gram_storage.h>
#include <mercer/greedy.h>
#include <mercer/incremental.h>
#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/kronecker.h>
#include <mercer/landmarks.h>
#include <mercer/manifold.h>
#include <mercer/matrix.h>
#include <mercer/metrics.h>
#include <mercer/model.h>
#include <mercer/partitioned.h>
#include <mercer/platform.h>
#include <mercer/precision.h>
#include <mercer/projection.h>
#include <mercer/random_features.h>
#include <mercer/randomized.h>
#include <mercer/reduced_set.h>
#include <mercer/reduction.h>
#include <mercer/rows.h>
#include <mercer/run.h>
#include <mercer/summary.h>
