#include "distance/option_names.h"

namespace mercer::distance {

const char* option_name(DistanceMap map) {
  switch (map) {
    case DistanceMap::regression:
      return "regression";
    case DistanceMap::orthogonal:
      return "orthogonal";
    case DistanceMap::affine:
      return "affine";
  }
  return "";
}

const char* option_name(DistanceOrigin origin) {
  switch (origin) {
    case DistanceOrigin::automatic:
      return "automatic";
    case DistanceOrigin::constant:
      return "constant";
    case DistanceOrigin::base_point:
      return "base_point";
    case DistanceOrigin::centroid:
      return "centroid";
  }
  return "";
}

const char* option_name(SubsetSelection selection) {
  switch (selection) {
    case SubsetSelection::automatic:
      return "automatic";
    case SubsetSelection::greedy:
      return "greedy";
    case SubsetSelection::greedy_frobenius:
      return "greedy_frobenius";
    case SubsetSelection::swap:
      return "swap";
    case SubsetSelection::enumerate:
      return "enumerate";
    case SubsetSelection::enumerate_l1:
      return "enumerate_l1";
    case SubsetSelection::uniform:
      return "uniform";
    case SubsetSelection::kmeans:
      return "kmeans";
    case SubsetSelection::pivoted_cholesky:
      return "pivoted_cholesky";
    case SubsetSelection::rpcholesky:
      return "rpcholesky";
  }
  return "";
}

}  // namespace mercer::distance
