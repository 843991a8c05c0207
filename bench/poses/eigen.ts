/** Sweeps of Jacobi's method; matrices of 4 × 4 and 6 × 6 need five or six. */
const SWEEPS = 6;

/** Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations: `a` becomes diagonal, `u`'s columns are the vectors. */
export function diagonalise(a: Float64Array, u: Float64Array, size: number): void {
  u.fill(0);
  for (let i = 0; i < size * size; i += size + 1) u[i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(a, u, p, q, size);
  }
}

/**
 * The rotation that makes the entry between two rows 0. Pairs are not taken out of array literals:
 * those arrays were 350 kB of garbage a frame.
 */
function rotate(a: Float64Array, u: Float64Array, p: number, q: number, size: number): void {
  const off = a[size * p + q];
  if (off === 0) return;
  const half = (a[(size + 1) * q] - a[(size + 1) * p]) / (2 * off);
  const t = (half < 0 ? -1 : 1) / (Math.abs(half) + Math.sqrt(half * half + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let i = 0; i < size; i++) {
    const x = a[size * i + p];
    const y = a[size * i + q];
    a[size * i + p] = c * x - s * y;
    a[size * i + q] = s * x + c * y;
  }
  for (let i = 0; i < size; i++) {
    const x = a[size * p + i];
    const y = a[size * q + i];
    a[size * p + i] = c * x - s * y;
    a[size * q + i] = s * x + c * y;
    const v = u[size * i + p];
    const w = u[size * i + q];
    u[size * i + p] = c * v - s * w;
    u[size * i + q] = s * v + c * w;
  }
}
