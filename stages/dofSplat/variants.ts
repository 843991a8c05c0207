import { changesFrom, defaultsFor, type Overrides, type TuningSpace } from "../tuning.ts";

/** What can be chosen in dofSplat; docs/tuning.md tells what each does and where it was measured. */
export const variants = {
  after: ["compact"],
  workloads: [{ fNumber: 0 }, {}, { fNumber: 0.5 }],
  knobs: {
    tiles: {
      SERIAL: {
        values: [0, 1],
        initial: { processor: 1, otherwise: 0 },
        summary: "a workgroup draws a tile, or an invocation does: then there is nothing else to choose",
      },
    },
    accumulate: {
      WALK: {
        values: [0, 1],
        initial: 0,
        summary: "a block looks at the splats that touch it, or its half of the tile, in step with its neighbours",
      },
      NODE: {
        values: [0, 1, 2],
        initial: 0,
        summary: "splats in workgroup memory: in full, packed, or read in place without barriers",
      },
      CHUNK: {
        values: [32, 64, 128, 256],
        initial: 64,
        summary: "splats between two barriers",
      },
      EARLY: {
        values: [0, 1, 2],
        initial: 1,
        summary: "full blocks stop: never, between chunks, between splats",
      },
      LANES: {
        values: [4, 8, 16, 32, 64],
        initial: { processor: 4, otherwise: 64 },
        summary: "invocations that draw a tile",
      },
    },
    order: {
      LANES: {
        values: [4, 16, 32, 64, 128, 256],
        initial: { processor: 4, otherwise: 128 },
        summary: "invocations that sort a tile's list",
      },
      SORT: {
        values: [0, 1, 2],
        initial: 1,
        summary: "how a window is sorted: bitonic, by buckets, by counting the smaller ones",
      },
      BUCKETS: {
        values: [16, 64, 128, 256, 512],
        initial: 256,
        summary: "buckets of a window, where it is sorted by them",
      },
      CAPACITY: {
        values: [256, 512, 1024, 2048],
        initial: 1024,
        summary: "entries sorted at a time in workgroup memory",
      },
    },
    project: {
      LOCAL: {
        values: [0, 1],
        initial: { processor: 0, otherwise: 1 },
        summary: "tiles' splats are counted splat by splat, or first in a workgroup's memory",
      },
    },
    scatter: {
      LOCAL: {
        values: [0, 1],
        initial: { processor: 0, otherwise: 1 },
        summary: "room in the lists is asked for splat by splat, or once a tile by a workgroup",
      },
    },
    scan: {
      LANES: {
        values: [4, 32, 64, 128, 256],
        initial: { processor: 4, otherwise: 256 },
        summary: "invocations that sum the tiles' counts",
      },
      QUADS: {
        values: [1, 2, 4],
        initial: { processor: 1, otherwise: 4 },
        summary: "fours of tiles that one of them takes at a time",
      },
    },
  },
  fits: (overrides: Overrides, { maxComputeWorkgroupStorageSize }) => {
    const { tiles, order = {} } = overrides;
    if (tiles?.SERIAL && changesFrom(PROCESSOR, overrides) !== "") return false;
    const { LANES = 0, SORT = 0, BUCKETS = 0, CAPACITY = 0 } = order;
    // Codes, and where they go by buckets a second array, the buckets, and the sums of what is before each lane.
    const words = CAPACITY + (SORT === 1 ? CAPACITY + BUCKETS : 0) + 2 * LANES + 8;
    return 4 * words <= maxComputeWorkgroupStorageSize && (SORT !== 1 || BUCKETS >= LANES);
  },
} as const satisfies TuningSpace;

/** Where an invocation draws a tile nothing else makes a difference, and is not to be tried. */
const PROCESSOR = defaultsFor(variants, { adapterInfo: { subgroupMaxSize: 4 } as GPUAdapterInfo });
