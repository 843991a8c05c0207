import type { MODES } from "../../../stages/paint/index.ts";
import type { ColourScale } from "./colourScale.ts";

/** A way to colour the scene. */
export interface ColourMode {
  /** The mode's name on the page, and what its colours show. */
  readonly label: string;
  readonly says: string;
  /** The value of `by` in the stage `paint`; without one `paint` is off, and points keep the camera’s colours. */
  readonly paint?: (typeof MODES)[number];
  /** Whether the picture is tinted by the lens's blur, so that the lens has an effect on points, too. */
  readonly byLens?: boolean;
  /** Whether the colours themselves compare raw with filtered depth, so that the page does not show the two side by side. */
  readonly compares?: boolean;
  /** Whether these colours are for the look of a picture, so that its holes are filled. */
  readonly isLook?: boolean;
  /** Shows on the scale what the colours mean; `paintOf` gives a parameter of `paint`. Modes without this function have no scale. */
  readonly show?: (scale: ColourScale, paintOf: (parameter: "nearM" | "farM" | "rangeMm") => number) => void;
}

/** The ways to colour the scene, by their names in addresses and settings files. An entry here is all that the page needs. */
export const COLOURS = {
  lit: {
    label: "Lit",
    says: "in a low light from the side, which shows noise and fine detail",
    paint: "lit",
    isLook: true,
  },
  camera: { label: "Camera", says: "the colour images of the recording", isLook: true },
  depth: {
    label: "Depth",
    says: "the distance from the sensor",
    paint: "depth",
    show: (scale, paintOf) => scale.showDepth(paintOf("nearM"), paintOf("farM")),
  },
  normal: { label: "Normals", says: "the direction that a surface faces", paint: "normal" },
  difference: {
    label: "Difference",
    says: "what the filters changed",
    paint: "difference",
    compares: true,
    show: (scale, paintOf) => scale.showDifference(paintOf("rangeMm")),
  },
  blur: { label: "Blur", says: "how much the lens blurs each point", byLens: true },
} as const satisfies Readonly<Record<string, ColourMode>>;

export type ColourName = keyof typeof COLOURS;

/** The mode of this name. */
export const colourNamed = (name: ColourName): ColourMode => COLOURS[name];

/** The name of each mode on the page. */
export const COLOUR_LABELS = Object.fromEntries(
  Object.entries(COLOURS).map(([name, { label }]) => [name, label]),
) as Readonly<Record<ColourName, string>>;

/** The hint on the control: a line for each mode. */
export const COLOUR_HINT = Object.values(COLOURS)
  .map(({ label, says }) => `${label}: ${says}`)
  .join("\n");
