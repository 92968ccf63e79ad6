# Writes reference.json, the answers of independent implementations that the
# tests of package stats compare with:
#
#   Rscript reference.R > reference.json
#
# Debian packages: r-base-core, r-cran-mass, r-cran-exactranktests, r-bioc-limma,
# r-cran-rpact. None is needed to build or test.

suppressWarnings(suppressMessages({
  library(MASS); library(exactRankTests); library(limma); library(rpact)
}))

number <- function(x) ifelse(is.finite(x), sprintf("%.15g", x), "null")
json <- function(x) {
  if (is.list(x) && !is.null(names(x)))
    paste0("{", paste0("\"", names(x), "\": ", vapply(x, json, ""), collapse = ", "), "}")
  else if (is.list(x)) paste0("[", paste(vapply(x, json, ""), collapse = ",\n  "), "]")
  else if (is.character(x)) paste0("\"", x, "\"")
  else paste0("[", paste(number(x), collapse = ", "), "]")
}
set.seed(1)

# Student's t: two-sided tails and quantiles.
student <- list()
for (df in c(1, 2, 4, 4.5, 9, 19.3, 60, 1000)) for (level in c(0.8, 0.05, 0.0026, 1e-6, 1e-10)) {
  q <- qt(level / 2, df, lower.tail = FALSE)
  student <- c(student, list(c(level, df, q, 2 * pt(q * 0.9, df, lower.tail = FALSE))))
}

# Intervals and tests of few differences: t.test.
few <- list()
for (d in list(c(-0.38, -0.37, -0.377, -0.381, -0.379), c(0.1, -0.02, 0.03, 0.2), rnorm(5, 0.05, 0.07), c(0.01, 0.05)))
  for (confidence in c(0.95, 0.99)) {
    t <- t.test(d, conf.level = confidence)
    few <- c(few, list(list(d = d, confidence = confidence, answer = c(mean(d), t$conf.int, t$p.value))))
  }

# Huber's proposal 2 from its two equations, one root inside the other.
# (MASS::rlm stops when the centre stands still, whatever the scale does; where
# both do it agrees.)
proposal2 <- function(d, k = 2) {
  n <- length(d)
  psi <- function(u) pmax(-k, pmin(u, k))
  beta <- integrate(function(z) psi(z)^2 * dnorm(z), -Inf, Inf, rel.tol = 1e-12)$value
  root <- function(f, lo, hi) uniroot(f, c(lo, hi), tol = 1e-15, maxiter = 10000)$root
  centre <- function(s) root(function(m) sum(psi((d - m) / s)), min(d), max(d))
  s <- root(function(s) sum(psi((d - centre(s)) / s)^2) - (n - 1) * beta, sd(d) / 1000, 10 * sd(d))
  a <- mean(abs(d - centre(s)) < k * s)
  c(centre(s), s, (1 + (1 - a) / ((n - 1) * a)) * s * sqrt(beta / n) / a)
}
huber <- list()
for (d in list(rnorm(8), c(rnorm(9), 8), c(rnorm(17), -6, 7, 30), rt(30, 2), c(0.1, 0.2, 0.15, 0.12, 5, 0.13, 0.11, 0.17)))
  huber <- c(huber, list(list(d = d, answer = proposal2(d))))
for (h in huber[2:3]) {
  r <- rlm(h$d ~ 1, k = 2, scale.est = "proposal 2", k2 = 2, acc = 1e-13, maxit = 1000)
  stopifnot(all.equal(c(coef(r), r$s, summary(r)$coefficients[1, 2]), h$answer, check.attributes = FALSE, tolerance = 1e-7))
}

# Exact rank tests: wilcox.test, and exactRankTests where there are ties.
rank <- list()
for (ab in list(list(c(115, 114, 115, 115, 115), rep(78.8, 5)), list(c(1.1, 2.2, 3.3), c(4.4, 5.5, 6.6, 7.7)),
                list(rnorm(8), rnorm(7, 1)), list(c(1, 2, 2, 3, 5, 5), c(2, 5, 6, 7, 7)), list(round(rnorm(10), 1), round(rnorm(12, 0.5), 1)),
                list(c(1, 2), 3))) {
  a <- ab[[1]]; b <- ab[[2]]
  p <- if (anyDuplicated(c(a, b))) wilcox.exact(a, b)$p.value else wilcox.test(a, b, exact = TRUE)$p.value
  rank <- c(rank, list(list(a = a, b = b, p = p)))
}
large <- list(a = round(rnorm(40), 1), b = round(rnorm(50, 0.4), 1))
large$p <- wilcox.test(large$a, large$b, exact = FALSE, correct = TRUE)$p.value

# Mann-Kendall from its definition, over all orders of the values.
orders <- function(x) if (length(x) <= 1) list(x) else
  do.call(c, lapply(seq_along(x), function(i) lapply(orders(x[-i]), function(rest) c(x[i], rest))))
score <- function(y) { d <- outer(y, y, function(a, b) sign(b - a)); sum(d[upper.tri(d)]) }
slope <- function(y) { i <- seq_along(y); m <- outer(y, y, function(a, b) b - a) / outer(i, i, function(a, b) b - a); median(m[upper.tri(m)]) }
trend <- list()
for (y in list(c(1.00, 1.04, 1.08, 1.12, 1.17, 1.21), c(3, 1, 2, 4, 6, 5, 7), c(2, 1, 2, 3, 3, 3, 5), c(1, 1, 1, 1), c(5, 4, 4, 1, 2, 1, 0, 1))) {
  s <- vapply(orders(y), score, 0)
  trend <- c(trend, list(list(y = y, answer = c(score(y), mean(abs(s) >= abs(score(y))), slope(y)))))
}

# Benjamini-Hochberg.
family <- lapply(list(c(0.004, 0.011, 0.020, 0.30, 0.80), c(0.9, 0.01, 0.01, 0.04, 1e-9, 0.5, 0.049), 0.2),
                 function(p) list(p = p, adjusted = p.adjust(p, "BH")))

# Empirical-Bayes prior of variances: limma::fitFDist.
prior <- list()
for (sd in list(exp(rnorm(20, 0, 0.7)), exp(rnorm(50, 0, 0.3)))) {
  variance <- sd^2 * rchisq(length(sd), 7) / 7
  f <- fitFDist(variance, df1 = rep(7, length(sd)))
  prior <- c(prior, list(list(pairs = 8, variance = variance, answer = c(f$scale, f$df2))))
}

# Group-sequential boundaries of the spending function of Looks: rpact, and for
# an alpha that it refuses Simpson's rule on a fine grid.
spent <- function(k, min, max) 0.9 * (0.2 + 0.8 * ((k - min) / (max - min))^3)
simpson <- function(k, s) {
  critical <- qnorm(s[1] / 2, lower.tail = FALSE)
  edge <- critical * sqrt(k[1])
  grid <- function(edge) seq(-edge, edge, length.out = 1601)
  x <- grid(edge)
  f <- dnorm(x, sd = sqrt(k[1]))
  for (i in seq_along(k)[-1]) {
    m <- f * c(1, rep(c(4, 2), 799), 4, 1) * (x[2] - x[1]) / 3
    out <- function(b) sum(m * (pnorm(x - b) + pnorm(-b - x)))
    edge <- uniroot(function(b) log(out(b) / (s[i] - s[i - 1])), c(0, 10 * sqrt(k[i])), tol = 1e-12)$root
    critical <- c(critical, edge / sqrt(k[i]))
    to <- grid(edge)
    f <- as.vector(outer(to, x, function(a, b) dnorm(a - b)) %*% m)
    x <- to
  }
  critical
}
looks <- list()
for (l in list(c(5, 14, 0.05), c(1, 6, 0.05), c(3, 10, 0.001), c(5, 14, 1e-6), c(2, 40, 1e-6))) {
  k <- l[1]:l[2]
  s <- l[3] * spent(k, l[1], l[2])
  critical <- if (l[3] < 1e-5) simpson(k, s) else
    getDesignGroupSequential(sided = 2, alpha = s[length(s)], informationRates = k / l[2],
                             typeOfDesign = "asUser", userAlphaSpending = s, tolerance = 1e-10)$criticalValues
  looks <- c(looks, list(list(min = l[1], max = l[2], alpha = l[3], critical = critical)))
}

cat(json(list(made_by = paste(R.version.string, "with", paste(vapply(c("MASS", "exactRankTests", "limma", "rpact"),
  function(p) paste(p, packageVersion(p)), ""), collapse = ", ")),
  student = student, few = few, huber = huber, rank = rank, large_rank = large, trend = trend, family = family, prior = prior, looks = looks)), "\n")
