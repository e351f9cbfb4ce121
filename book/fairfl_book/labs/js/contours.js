// Lines of equal loss: exact ellipses for a quadratic, marching squares for all else.

/** The ellipse ½ (w − centre)ᵀ H (w − centre) = level as n + 1 points, the last the first. */
export function ellipse(centre, [[a, b], [, d]], level, n = 60) {
  const middle = (a + d) / 2,
    off = Math.hypot((a - d) / 2, b),
    turn = 0.5 * Math.atan2(2 * b, a - d);
  const [long, short] = [middle + off, middle - off].map((value) => Math.sqrt((2 * level) / value)),
    c = Math.cos(turn),
    s = Math.sin(turn);
  return Array.from({ length: n + 1 }, (_, i) => {
    const angle = (2 * Math.PI * i) / n,
      x = long * Math.cos(angle),
      y = short * Math.sin(angle);
    return [centre[0] + c * x - s * y, centre[1] + s * x + c * y];
  });
}

/** Pieces [[p, q], …] of the lines f(w) = level inside ``box`` = [x low, x high, y low, y high], from n × n squares: a list a level. */
export function contours(f, [x0, x1, y0, y1], levels, n = 40) {
  const at = (i, j) => [x0 + (i / n) * (x1 - x0), y0 + (j / n) * (y1 - y0)];
  const values = Array.from({ length: n + 1 }, (_, i) =>
    Array.from({ length: n + 1 }, (__, j) => f(at(i, j))),
  );
  return levels.map((level) => {
    const pieces = [];
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const corners = [
            [i, j],
            [i + 1, j],
            [i + 1, j + 1],
            [i, j + 1],
          ],
          crossed = [];
        corners.forEach((p, k) => {
          const q = corners[(k + 1) % 4],
            a = values[p[0]][p[1]] - level,
            b = values[q[0]][q[1]] - level;
          if (a < 0 === b < 0) return;
          const t = a / (a - b),
            [u, v] = [at(...p), at(...q)];
          crossed.push([u[0] + t * (v[0] - u[0]), u[1] + t * (v[1] - u[1])]);
        });
        for (let k = 0; k + 1 < crossed.length; k += 2) pieces.push([crossed[k], crossed[k + 1]]);
      }
    return pieces;
  });
}
