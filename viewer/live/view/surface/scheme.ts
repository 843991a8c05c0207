/** Whether the page is dark or light, as the system is. */
export type Scheme = "dark" | "light";

/** The background colour, sRGB from 0 to 1; the same as `--ground` in the style sheet. */
export const BACKGROUND = {
  dark: [0.043, 0.051, 0.063],
  light: [0.925, 0.933, 0.945],
} as const satisfies Record<Scheme, readonly [red: number, green: number, blue: number]>;
