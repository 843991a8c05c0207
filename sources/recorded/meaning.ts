import type { Intrinsics } from "../frame.ts";
import { DESCRIPTION, type Description } from "./description.ts";
import { cameraText, type Fact, type Said, unitText } from "./facts.ts";
import type { OpenOptions, Pinhole } from "./format.ts";

/** What the numbers of a recording mean. */
export interface Meaning {
  readonly metresPerUnit: number;
  /** Values that say "no measurement", 0 aside. */
  readonly invalid: readonly number[];
  readonly fps: number;
  intrinsics(width: number, height: number): Intrinsics;
  /** The same for people, and who said it. */
  readonly facts: readonly Fact[];
}

/** What a format takes for granted where nothing is said; what it lacks is assumed with a warning. */
export interface Habits {
  readonly metresPerUnit?: Said<number>;
  readonly invalid?: Said<readonly number[]>;
  readonly fps?: Said<number>;
  /** For 640×480 where it does not say for which size; scaled to others. */
  readonly intrinsics?: Said<Lens>;
}

export type Lens = Pinhole & Partial<Pick<Intrinsics, "width" | "height" | "distortionModel">>;

/** Joins what the user, the recording and the format say. */
export function meaningOf(
  options: OpenOptions,
  said: Description | undefined,
  habits: Habits,
  warnings: string[],
): Meaning {
  /** The first who says it, in the order of `OpenOptions`; a guess is told to the user. */
  const first = <T>(option: T | undefined, described: T | undefined, habit: Said<T> | undefined, guess: Said<T>) => {
    if (option !== undefined) return { value: option, from: "option" } as const;
    if (described !== undefined) return { value: described, from: DESCRIPTION } as const;
    const { value, from, warning } = habit ?? guess;
    if (warning !== undefined) warnings.push(warning);
    return { value, from };
  };
  const unit = first(options.metresPerUnit, said?.metresPerUnit, habits.metresPerUnit, guesses.metresPerUnit);
  const fps = first(options.fps, said?.fps, habits.fps, guesses.fps);
  const nothing: Said<readonly number[]> = { value: [], from: "assumed" };
  const invalid = first(undefined, said?.invalid, habits.invalid, said ? nothing : guesses.invalid);
  const camera = options.intrinsics ?? said?.intrinsics;
  const lens = first<Lens | undefined>(options.intrinsics, said?.intrinsics, habits.intrinsics, guesses.intrinsics);
  const others = invalid.value.filter((value) => value !== 0);
  return {
    metresPerUnit: unit.value,
    fps: fps.value,
    invalid: others,
    intrinsics(width, height) {
      if (camera) return { ...camera, width, height };
      return lens.value ? scaled(lens.value, width, height) : fieldOfView(width, height);
    },
    facts: [
      { what: "unit", value: unitText(unit.value), from: unit.from },
      { what: "invalid", value: [0, ...others].join(", "), from: invalid.from },
      { what: "fps", value: String(fps.value), from: fps.from },
      {
        what: "intrinsics",
        value: !lens.value
          ? "58° × 45° field of view"
          : cameraText(lens.value) +
            bendText(lens.value) +
            (camera || lens.value.width ? "" : " at 640×480, scaled to other sizes"),
        from: lens.from,
      },
    ],
  };
}

/** ", rational distortion", if the lens bends. */
const bendText = ({ distortion, distortionModel = "brown-conrady" }: Lens) =>
  distortion?.some((value) => value !== 0) ? `, ${distortionModel} distortion` : "";

/** What is assumed where neither anyone says it nor the format has a habit. */
const guesses = {
  metresPerUnit: {
    value: 0.001,
    from: "assumed",
    warning: "nothing says what a unit of depth is: millimetres are assumed (metresPerUnit 0.001)",
  },
  fps: {
    value: 30,
    from: "assumed",
    warning: "nothing says how fast it was recorded: 30 frames per second are assumed",
  },
  invalid: {
    value: [] as number[],
    from: "assumed",
    warning: `there is no ${DESCRIPTION} that names invalid values: only 0 is taken as "no measurement"`,
  },
  intrinsics: {
    value: undefined,
    from: "assumed",
    warning: "nothing says what lens it was: a 58° × 45° field of view is assumed (intrinsics fx, fy, cx, cy)",
  },
} as const satisfies Record<string, Said<unknown>>;

/** A camera when its image has another size: pixel centres are at whole numbers, edges half a pixel outside. */
function scaled(lens: Lens, width: number, height: number): Intrinsics {
  const { width: w = 640, height: h = 480 } = lens;
  if (w === width && h === height) return { ...lens, width, height };
  const [x, y] = [width / w, height / h];
  const [cx, cy] = [(lens.cx + 0.5) * x - 0.5, (lens.cy + 0.5) * y - 0.5];
  return { ...lens, fx: lens.fx * x, fy: lens.fy * y, cx, cy, width, height };
}

function fieldOfView(width: number, height: number): Intrinsics {
  const focal = (pixels: number, degrees: number) => pixels / 2 / Math.tan((degrees / 2) * (Math.PI / 180));
  return { fx: focal(width, 58), fy: focal(height, 45), cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}
