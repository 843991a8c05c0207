/** The turn of a 4 × 4 pose, of which the first three rows are used, as a unit quaternion (x, y, z, w). */
export function quaternionOf(m: ArrayLike<number>): readonly number[] {
  // Shepperd (1978): of the four ways to compute the quaternion, the one that divides by its largest component.
  const squares = [1 + m[0] - m[5] - m[10], 1 - m[0] + m[5] - m[10], 1 - m[0] - m[5] + m[10], 1 + m[0] + m[5] + m[10]];
  const largest = squares.indexOf(Math.max(...squares));
  const [xy, xz, yz] = [m[1] + m[4], m[2] + m[8], m[6] + m[9]];
  const [wx, wy, wz] = [m[9] - m[6], m[2] - m[8], m[4] - m[1]];
  const rows = [
    [squares[0], xy, xz, wx],
    [xy, squares[1], yz, wy],
    [xz, yz, squares[2], wz],
    [wx, wy, wz, squares[3]],
  ];
  const length = Math.hypot(...rows[largest]);
  return rows[largest].map((x) => x / length);
}
