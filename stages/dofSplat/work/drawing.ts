import { edgesOf, type Node, nodeOf, weights } from "../accumulate.ts";
import { f } from "../camera.ts";
import { CRUMB, FIELDS, TILE } from "../layout.ts";
import type { Splats } from "../project.ts";

/** What accumulate.wgsl does for a frame's sorted lists. Each number is a sum over the tiles. */
export interface Drawing {
  /** Chunks that a workgroup loads, their splats, and those of them that are discs. Of the splats, each counts once in `distinct`. */
  readonly chunks: number;
  readonly staged: number;
  readonly stagedDiscs: number;
  readonly distinct: number;
  readonly distinctDiscs: number;
  /** Tiles that were full when they had loaded a chunk, which they then left. */
  readonly breaks: number;
  /** Blocks of 2 × 2 pixels with room at the begin of a chunk, and those of them that the chunk filled. */
  readonly open: number;
  readonly filled: number;
  /** Splats that these blocks took: each is 4 splat-pixel evaluations. Of them, the discs. */
  readonly added: number;
  readonly addedDiscs: number;
}

interface DrawingSizes {
  readonly CHUNK: number;
  readonly entries: number;
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly blades: number;
}

const BLOCKS = 64;
const ACROSS = TILE / 2;
/** px: pixels that lie this close to a splat's edge count as beyond it. Rounding decides whether a splat touches a pixel on its edge. */
const MARGIN = 2 ** -10;

/** Draws only the room that is left in the pixels, tile by tile, until the tile's blocks are full: the early exit of accumulate.wgsl. */
export function drawingOf(
  { floats }: Splats,
  starts: Uint32Array,
  list: Uint32Array,
  { CHUNK, entries, width, height, columns, blades }: DrawingSizes,
): Drawing {
  const sum = { chunks: 0, staged: 0, stagedDiscs: 0, distinct: 0, distinctDiscs: 0 };
  const drawn = { breaks: 0, open: 0, filled: 0, added: 0, addedDiscs: 0 };
  const edges = edgesOf(blades);
  const isSeen = new Uint8Array(floats.length / FIELDS);
  const room = new Float32Array(TILE * TILE);
  const isOpen = new Uint8Array(BLOCKS);
  const hasRoom = (block: number) => {
    const p = 2 * (block % ACROSS) + 2 * TILE * Math.floor(block / ACROSS);
    return room[p] > 0 || room[p + 1] > 0 || room[p + TILE] > 0 || room[p + TILE + 1] > 0;
  };
  for (let tile = 0; tile + 1 < starts.length; tile++) {
    const [left, top] = [(tile % columns) * TILE, Math.floor(tile / columns) * TILE];
    const [right, bottom] = [Math.min(left + TILE, width) - 1, Math.min(top + TILE, height) - 1];
    for (let p = 0; p < room.length; p++) room[p] = Number(left + (p % TILE) <= right && top + (p >> 4) <= bottom);
    const [first, last] = [starts[tile], starts[tile + 1]];
    if (last > entries) continue;
    let full = 0;
    for (let at = first; at < last; at += CHUNK) {
      const end = Math.min(at + CHUNK, last);
      sum.chunks++;
      sum.staged += end - at;
      for (let block = 0; block < BLOCKS; block++) {
        isOpen[block] = Number(full < BLOCKS && hasRoom(block));
        drawn.open += isOpen[block];
      }
      for (let i = at; i < end; i++) {
        const o = list[i] * FIELDS;
        const node = nodeOf(floats, o);
        const disc = Number(node.alongX < 0);
        sum.stagedDiscs += disc;
        sum.distinct += 1 - isSeen[list[i]];
        sum.distinctDiscs += disc * (1 - isSeen[list[i]]);
        isSeen[list[i]] = 1;
        if (full === BLOCKS) continue;
        const reachX = reachOf(node, node.alongX, node.acrossX);
        const reachY = reachOf(node, node.alongY, node.acrossY);
        const firstColumn = Math.max(Math.ceil(node.x - reachX) - left, 0) >> 1;
        const firstRow = Math.max(Math.ceil(node.y - reachY) - top, 0) >> 1;
        const lastColumn = (Math.min(Math.floor(node.x + reachX), right) - left) >> 1;
        const lastRow = (Math.min(Math.floor(node.y + reachY), bottom) - top) >> 1;
        for (let row = firstRow; row <= lastRow; row++) {
          for (let column = firstColumn; column <= lastColumn; column++) {
            if (isOpen[row * ACROSS + column] === 0) continue;
            drawn.added++;
            drawn.addedDiscs += disc;
            for (let pixel = 0; pixel < 4; pixel++) {
              const u = 2 * column + (pixel & 1);
              const v = 2 * row + (pixel >> 1);
              const p = v * TILE + u;
              if (room[p] === 0) continue;
              const rest = f(room[p] - weights(f(left + u - node.x), f(top + v - node.y), node, edges));
              room[p] = rest < f(CRUMB) ? 0 : rest;
            }
          }
        }
      }
      if (full === BLOCKS) {
        drawn.breaks++;
        break;
      }
      for (let block = 0; block < BLOCKS; block++) if (isOpen[block] === 1 && !hasRoom(block)) full++;
    }
    drawn.filled += full;
  }
  return { ...sum, ...drawn };
}

/** How far a splat reaches to the right or down, px; `along` and `across` are its patches per px in that direction. */
function reachOf(node: Node, along: number, across: number): number {
  if (node.alongX < 0) return node.reachAlong - MARGIN;
  const perAlong = node.alongX * node.alongX + node.alongY * node.alongY;
  const perAcross = node.acrossX * node.acrossX + node.acrossY * node.acrossY;
  return (Math.abs(along) * node.reachAlong) / perAlong + (Math.abs(across) * node.reachAcross) / perAcross - MARGIN;
}
