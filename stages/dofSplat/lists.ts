/**
 * The most list entries that `points` splats can ask for: a splat reaches `maxReachPx` to each side, so with tiles of 16 px
 * it touches at most ⌈2·reach/16⌉ + 1 tiles a row (25 tiles and 200 bytes a point at the default), and no more than there are.
 */
export function listBound(
  points: number,
  tiles: number,
  maxReachPx: number,
  tile: readonly [number, number] = [16, 16],
): number {
  const [across, down] = tile.map((side) => Math.ceil((2 * maxReachPx) / side) + 1) as [number, number];
  return points * Math.min(tiles, across * down);
}
