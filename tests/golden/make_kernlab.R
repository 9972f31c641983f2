#!/usr/bin/Rscript
# Records what kernlab's kpca says for its Gaussian kernel on the points of sklearn/gaussian.txt.
# Writes kernlab/gaussian.txt; run it from this folder, and only to record anew.
#
# kernlab diagonalises Kc / n and scales its vectors to sqrt(n / lambda), so in mercer's terms:
#   lambda = n * eig(model),  training scores = rotated(model) / sqrt(n),
#   scores of new points = predict(model, new) / sqrt(n).
# Its rbfdot(sigma) is exp(-sigma r^2): kernlab's sigma is our gamma.

suppressPackageStartupMessages(library(kernlab))

read_golden <- function(path) {
  words <- scan(path, what = "", comment.char = "#", quiet = TRUE)
  matrices <- list()
  at <- 1
  while (at <= length(words)) {
    rows <- as.integer(words[at + 1])
    cols <- as.integer(words[at + 2])
    values <- as.numeric(words[at + 2 + seq_len(rows * cols)])
    matrices[[words[at]]] <- matrix(values, rows, cols, byrow = TRUE)
    at <- at + 3 + rows * cols
  }
  matrices
}

write_golden <- function(path, comment, matrices) {
  lines <- paste("#", comment)
  for (name in names(matrices)) {
    values <- as.matrix(matrices[[name]])
    lines <- c(lines, paste(name, nrow(values), ncol(values)),
               apply(values, 1, function(row) paste(sprintf("%.17g", row), collapse = " ")))
  }
  writeLines(lines, path)
}

input <- read_golden("sklearn/gaussian.txt")
features <- ncol(input$eigenvalues)
n <- nrow(input$train)
model <- kpca(input$train, kernel = "rbfdot", kpar = list(sigma = input$gamma[1]), features = features)

write_golden(
  "kernlab/gaussian.txt",
  paste0("Made by make_kernlab.R with kernlab ", packageVersion("kernlab"), ", ", R.version.string,
         "; mapped to mercer's scaling, see README.md."),
  list(gamma = input$gamma, centered = 1, train = input$train, new = input$new,
       eigenvalues = matrix(n * unname(eig(model))[seq_len(features)], 1),
       component = matrix(seq_len(features) - 1, 1),
       train_scores = unname(rotated(model)) / sqrt(n),
       new_scores = unname(predict(model, input$new)) / sqrt(n)))
