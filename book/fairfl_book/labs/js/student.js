// Student's t distribution: tails by the incomplete beta function's continued fraction, quantiles by Newton's method in a bracket.
// tests/fairfl_book/labs/test_student_js.py compares both with SciPy.

const LANCZOS = [
  57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202,
  0.00003399464998481189, 0.00004652362892704858, -0.00009837447530487956, 0.0001580887032249125,
  -0.00021026444172410488, 0.00021743961811521265, -0.0001643181065367639, 0.00008441822398385275,
  -0.000026190838401581408, 0.0000036899182659531625,
];

/** log Γ(x) for x > 0 (Lanczos 1964, with g = 607/128). */
function logGamma(x) {
  let sum = 0.9999999999999971;
  LANCZOS.forEach((c, i) => {
    sum += c / (x + i + 1);
  });
  const t = x + 5.2421875;
  return (x + 0.5) * Math.log(t) - t + Math.log((2.5066282746310007 * sum) / x);
}

/** The continued fraction of the incomplete beta function I_x(a, b), by Lentz's method; fast for x < (a + 1) / (a + b + 2). */
function betaFraction(x, a, b) {
  const away = (v) => (Math.abs(v) < 1e-300 ? 1e-300 : v);
  let c = 1,
    d = 1 / away(1 - ((a + b) * x) / (a + 1)),
    value = d;
  for (let m = 1; m < 500; m++)
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / away(1 + term * d);
      c = away(1 + term / c);
      value *= c * d;
      if (term < 0 && Math.abs(c * d - 1) < 4e-16) return value;
    }
  return value;
}

/** −log B(ν/2, 1/2), which tails and density share. */
const logScale = (freedom) =>
  logGamma((freedom + 1) / 2) - logGamma(freedom / 2) - 0.5 * Math.log(Math.PI);

/** P(T > t) with ``freedom`` > 0 degrees of freedom, not necessarily a whole number. */
export function studentTail(t, freedom, scale = logScale(freedom)) {
  if (t < 0) return 1 - studentTail(-t, freedom, scale);
  if (t === 0) return 0.5;
  const a = freedom / 2,
    b = 0.5,
    x = freedom / (freedom + t * t),
    y = (t * t) / (freedom + t * t);
  const front = Math.exp(scale + a * Math.log(x) + b * Math.log(y));
  return x < (a + 1) / (a + b + 2)
    ? (0.5 * front * betaFraction(x, a, b)) / a
    : 0.5 - (0.5 * front * betaFraction(y, b, a)) / b;
}

/** t with P(T ≤ t) = p; ``guess`` > 0: where to begin. */
export function studentQuantile(p, freedom, guess = 2) {
  if (p < 0.5) return -studentQuantile(1 - p, freedom);
  const scale = logScale(freedom);
  let low = 0,
    high = Infinity,
    t = guess;
  for (let i = 0; i < 200; i++) {
    const more = studentTail(t, freedom, scale) - (1 - p);
    if (more > 0) low = t;
    else high = t;
    const density = Math.exp(
        scale - 0.5 * Math.log(freedom) - ((freedom + 1) / 2) * Math.log1p((t * t) / freedom),
      ),
      next = t + more / density;
    const inside = next > low && next < high ? next : high === Infinity ? 2 * t : (low + high) / 2;
    if (Math.abs(inside - t) <= 1e-13 * t) return inside;
    t = inside;
  }
  return t;
}
