# kernlab.R POINTS.npy GAMMA COMPONENTS THREADS

suppressPackageStartupMessages(library(kernlab))

# The points that bench/run wrote: NPY version 1, little-endian doubles, two dimensions.
read_npy <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  preamble <- as.integer(readBin(file, "raw", 10))
  header <- rawToChar(readBin(file, "raw", preamble[9] + 256 * preamble[10]))
  shape <- as.integer(regmatches(header, regexec("\\(([0-9]+), ([0-9]+)\\)", header))[[1]][2:3])
  matrix(readBin(file, "double", prod(shape), endian = "little"), shape[1], shape[2], byrow = TRUE)
}

arguments <- commandArgs(trailingOnly = TRUE)
points <- read_npy(arguments[1])
gamma <- as.numeric(arguments[2])
components <- as.integer(arguments[3])

cat(sprintf('{"library": "kernlab %s"}\n', packageVersion("kernlab")))
input <- file("stdin", "r")
while (length(readLines(input, 1)) > 0) {
  begin <- Sys.time()
  model <- kpca(points, kernel = "rbfdot", kpar = list(sigma = gamma), features = components)
  seconds <- as.numeric(Sys.time() - begin, units = "secs")
  # kernlab divides its eigenvalues by the number of points.
  eigenvalues <- sprintf("%.17g", eig(model) * nrow(points))
  cat(sprintf('{"seconds": %.9f, "values": [%s]}\n', seconds, paste(eigenvalues, collapse = ", ")))
}
