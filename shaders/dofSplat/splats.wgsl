// Part of all kernels of this folder: the picture's tiles, and the splats.

const TILE = 16u; // px: a tile's width and height
// m: nearer points are not drawn. FAR is 2^16 times as far, so that the bits of a distance as a float, minus those of NEAR, times 32, fill
// a word and sort as the distances do.
const NEAR = 0.03125;
const NO_TILES = 1u; // columns 1 to 0, an empty range
const POINTS = 256u; // of a workgroup of project and scatter (POINT_ARGS in stages/core/resources.ts)
const BEYOND = 256u; // more rows of tiles than a picture has
const ROOM = 1024u; // tiles that a workgroup counts in workgroup memory

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // capacity of the lists
  maxReach: f32, // px; no splat reaches farther; the lists' capacity relies on this
}

// A splat has 32 bytes and no more, because one is written for every point, and many are read by no tile. accumulate.wgsl makes of it the
// node that pixels need (nodeOf); the twin stores nodes instead of splats.
struct Splat {
  centre: vec2f, // px
  along: vec2f, // per px to the right and down: patches along. For a disc: w in px, and its colour as bits
  across: f32, // height of the patch, px. For a disc: the share of a pixel that it covers at its centre
  soft: f32, // px: q; negative for a disc
  colour: u32, // of a patch
  key: u32, // order of distance
}
