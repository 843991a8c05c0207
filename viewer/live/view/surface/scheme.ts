/** What the page looks like: as the system does. */
export type Scheme = "dark" | "light";

/** The colour behind everything, sRGB from 0 to 1; `--ground` in the style sheet is the same. */
export const BACKGROUND = {
  dark: [0.043, 0.051, 0.063],
  light: [0.925, 0.933, 0.945],
} as const satisfies Record<Scheme, readonly [red: number, green: number, blue: number]>;
