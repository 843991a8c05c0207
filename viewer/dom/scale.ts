/** The places on a slider, from 0 to 1, of the numbers from `min` to `max`. */
export interface Scale {
  /** The place of a number. */
  at(value: number): number;
  /** The number at a place. */
  value(place: number): number;
}

/** A logarithmic scale that begins at 0 cannot be logarithmic there: up to about this share of its end it is even. */
const EVEN = 1e-3;

/** An even scale, or a logarithmic one. A logarithmic one may begin at 0. */
export function scaleOf(min: number, max: number, logarithmic: boolean): Scale {
  if (!logarithmic) return { at: (value) => (value - min) / (max - min), value: (place) => min + place * (max - min) };
  const shift = min > 0 ? 0 : EVEN * max - min;
  const [least, times] = [min + shift, (max + shift) / (min + shift)];
  return {
    at: (value) => Math.log((value + shift) / least) / Math.log(times),
    value: (place) => least * times ** place - shift,
  };
}
