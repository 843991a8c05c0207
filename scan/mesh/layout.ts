// Constants that the meshing in TypeScript shares with assembly/. A size is in bytes where its comment names no other unit.

/** Samples along an edge of a brick and its borders: one voxel before the brick and one behind it. */
export const SIDE = 10;
/** Cells along an edge of a brick: its eight and the one before it, which faces on the brick's border need. */
export const CELLS = 9;
/** All cells of a brick. */
export const ALL_CELLS = 729;
/**
 * The most by which the stored distance changes from one voxel to the next across a surface: the truncation distance plus a fourth of it,
 * the width of a voxel. (Where every frame looked past a surface, the voxel before it holds the truncation distance.) A larger
 * change is no surface: one of the two voxels lies in free space beside an outline, the other behind the outline, where nothing was seen.
 */
export const STEEPEST = 40958.75;
/** A surface of this weight is seen well: eight frames from the front, close by, or forty from 3 m. */
export const WELL = 2048.0;
/** The bricks of a cube, whose mesh is made at once. */
export const CUBE = 64;

/*
 * Where a cube is made. A slot begins with words: how many bricks it has, its vertices, three times its triangles, 1 if it has no room for
 * them, 1 if bricks have colours, the least weight of known voxels, and voxelM (f64).
 */
export const VERTICES = 4;
export const CORNERS = 8;
export const IS_OVER = 12;
export const HAS_COLOUR = 16;
export const LEAST = 20;
export const VOXEL_M = 24;
/** For each brick: the addresses of the 27 bricks in it and around it (-1 where there is none), and its first sample, in voxels. */
export const AROUND = 64;
export const ORIGIN = 172;
export const AROUND_BYTES = 128;
/** For each row of a brick's samples two bit masks: the known samples, and the samples that are known and solid. */
export const KNOWN_ROWS = 8256;
export const SOLID_ROWS = 8512;
/** The distances at a cell's corners (f64), the addresses of these, and of their colours. */
export const AT_CORNERS = 8768;
/** For each cell of a brick the number of its vertex, or -1 (i16). */
export const VERTEX_OF = 8960;
/** The mesh, as in a `Chunk`, and the most vertices and triangles for which there is room. */
export const POSITIONS = 10432;
export const NORMALS = 108736;
export const COLOURS_OUT = 141504;
export const INDICES = 174272;
export const SLOT_BYTES = 370880;
export const MOST_VERTICES = 8192;
export const MOST_INDICES = 49152;
