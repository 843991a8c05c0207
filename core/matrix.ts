// Small dense matrices, row-major.

/** The inverse of an n × n matrix by elimination with pivots; `undefined` where it has none. */
export function inverse(matrix: ArrayLike<number>, n: number): Float64Array | undefined {
  const left = Float64Array.from(matrix);
  const right = Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let r = k + 1; r < n; r++) if (Math.abs(left[r * n + k]) > Math.abs(left[pivot * n + k])) pivot = r;
    const by = 1 / left[pivot * n + k];
    if (!Number.isFinite(by)) return undefined;
    for (const m of [left, right]) {
      for (let c = 0; c < n; c++) {
        const value = m[pivot * n + c];
        m[pivot * n + c] = m[k * n + c];
        m[k * n + c] = value * by;
      }
    }
    for (let r = 0; r < n; r++) {
      const share = left[r * n + k];
      if (r === k || share === 0) continue;
      for (const m of [left, right]) for (let c = 0; c < n; c++) m[r * n + c] -= share * m[k * n + c];
    }
  }
  return right;
}

/** a (rows × n) · b (n × columns). */
export function product(a: ArrayLike<number>, b: ArrayLike<number>, n: number): Float64Array {
  const [rows, columns] = [a.length / n, b.length / n];
  return Float64Array.from({ length: rows * columns }, (_, i) => {
    const [r, c] = [Math.floor(i / columns), i % columns];
    let sum = 0;
    for (let k = 0; k < n; k++) sum += a[r * n + k] * b[k * columns + c];
    return sum;
  });
}

/** The transpose of a matrix that has this many columns. */
export const transposed = (a: ArrayLike<number>, columns: number): Float64Array =>
  Float64Array.from(
    { length: a.length },
    (_, i) => a[(i % (a.length / columns)) * columns + Math.floor(i / (a.length / columns))],
  );

/** The weights of each row's numbers that give the values with the least squares; `undefined` where the rows leave them open. */
export function leastSquares(
  rows: readonly (readonly number[])[],
  values: readonly number[],
): Float64Array | undefined {
  const n = rows[0].length;
  const [matrix, right] = [new Float64Array(n * n), new Float64Array(n)];
  for (const [k, row] of rows.entries()) {
    for (let i = 0; i < n; i++) {
      right[i] += row[i] * values[k];
      for (let j = 0; j < n; j++) matrix[n * i + j] += row[i] * row[j];
    }
  }
  const solved = inverse(matrix, n);
  return solved && product(solved, right, n);
}

/**
 * Solves symmetric positive definite equations, n × n, by Cholesky's method. The matrix is written over. Returns `undefined` where the
 * equations do not determine the unknowns.
 */
export function solvedSymmetric(a: Float64Array, b: Float64Array): Float64Array | undefined {
  const n = b.length;
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[n * i + j];
      for (let k = 0; k < j; k++) sum -= a[n * i + k] * a[n * j + k];
      if (j < i) a[n * i + j] = sum / a[n * j + j];
      else if (sum > 1e-12 * a[n * i + i]) a[n * i + i] = Math.sqrt(sum);
      else return undefined;
    }
    for (let k = 0; k < i; k++) x[i] -= a[n * i + k] * x[k];
    x[i] /= a[n * i + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= a[n * k + i] * x[k];
    x[i] /= a[n * i + i];
  }
  return x;
}

/** Sweeps of Jacobi's method; matrices of 4 × 4 and 6 × 6 need five or six. */
const SWEEPS = 6;

/** Eigenvalues and eigenvectors of a symmetric n × n matrix, by Jacobi's rotations. */
export function eigen(matrix: ArrayLike<number>, n: number): { readonly value: number; readonly vector: number[] }[] {
  const a = Float64Array.from(matrix);
  const u = Float64Array.from(a, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) rotate(a, u, p, q, n);
  return Array.from({ length: n }, (_, k) => ({
    value: a[(n + 1) * k],
    vector: Array.from({ length: n }, (_, row) => u[n * row + k]),
  }));
}

/** The rotation that makes the entry of `a` between the rows `p` and `q` 0. */
function rotate(a: Float64Array, u: Float64Array, p: number, q: number, n: number): void {
  const off = a[n * p + q];
  if (off === 0) return;
  const half = (a[(n + 1) * q] - a[(n + 1) * p]) / (2 * off);
  const t = (half < 0 ? -1 : 1) / (Math.abs(half) + Math.sqrt(half * half + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const turn = (m: Float64Array, i: number, j: number) => {
    const [x, y] = [m[i], m[j]];
    m[i] = c * x - s * y;
    m[j] = s * x + c * y;
  };
  for (let i = 0; i < n; i++) turn(a, n * i + p, n * i + q);
  for (let i = 0; i < n; i++) turn(a, n * p + i, n * q + i);
  for (let i = 0; i < n; i++) turn(u, n * i + p, n * i + q);
}
