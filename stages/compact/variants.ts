import type { TuningSpace } from "../tuning.ts";

/** What `FORM` stands for. All leave the same points. */
export const FORM = {
  /** Two dispatches, an invocation to a long stretch of the image, no barriers: for a GPU played by a CPU. */
  runs: 0,
  /** One dispatch: workgroups publish counts and look back over those before them. */
  lookBack: 1,
  /** Two dispatches: workgroups count, then each adds up the counts before it. */
  tiles: 2,
} as const;

const WORKGROUPS = [64, 128, 256];

const runs = { RUNS: { values: [64, 256, 1024], initial: 256, summary: "runs that the image is cut into (form 0)" } };
const lookBack = {
  WORKGROUP: { values: WORKGROUPS, initial: 256, summary: "invocations to a tile (form 1), 8 pixels each" },
  WINDOW: { values: [1, 2, 4], initial: 4, summary: "tiles that an invocation looks back at in one go" },
  SPINS: {
    values: [0, 32, 256],
    initial: 256,
    summary: "how often it asks before it counts another tile's pixels itself",
  },
};
const move = {
  WORKGROUP: { values: WORKGROUPS, initial: 128, summary: "invocations to a tile (form 2), 8 pixels a round each" },
};

/** What `depthloom tune compact` chooses among. */
export const variants = {
  knobs: {
    compact: {
      FORM: {
        values: Object.values(FORM),
        initial: { processor: FORM.runs, nvidia: FORM.lookBack, otherwise: FORM.tiles },
        summary: "0: a run an invocation, 1: one pass that looks back, 2: count, then move",
      },
    },
    runs,
    lookBack,
    move,
  },
  // What the other forms leave open makes no difference, and is not to be tried.
  fits: ({ compact: { FORM: form } = {}, ...chosen }) =>
    Object.entries({ runs, lookBack, move }).every(
      ([kernel, knobs], own) =>
        own === form || Object.entries(knobs).every(([name, { initial }]) => chosen[kernel]?.[name] === initial),
    ),
} as const satisfies TuningSpace;
