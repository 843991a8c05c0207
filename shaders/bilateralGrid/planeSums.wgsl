// Part of planeBuild, planeFit and planeRefit: where the sums of a column's cells lie.
override SPACE: u32 = 8u; // px: a tile's width and height
override COLUMNS: u32 = 80u;
override KEPT: u32 = 60u; // rows of columns that are kept at a time
override MASKS: u32 = 4u; // words of bits per column

const MOMENT_VECTORS = 3u; // vectors of a cell's moments

// The index of a column among those in memory (masks, moments and residuals of the last KEPT rows).
fn keptAt(column: vec2u) -> u32 {
  return column.y % KEPT * COLUMNS + column.x;
}

// The index of a cell of a column in memory.
fn cellAt(column: vec2u, cell: u32) -> u32 {
  return keptAt(column) * MASKS * 32u + cell;
}
