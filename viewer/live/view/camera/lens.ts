/** The sensor of a camera type; mm. */
export interface Sensor {
  readonly label: string;
  readonly widthMm: number;
  readonly heightMm: number;
}

export const SENSORS = {
  medium: { label: "Medium format", widthMm: 43.8, heightMm: 32.9 },
  full: { label: "Full frame", widthMm: 36, heightMm: 24 },
  apsc: { label: "APS-C", widthMm: 23.5, heightMm: 15.6 },
  micro: { label: "Micro 4/3", widthMm: 17.3, heightMm: 13 },
  inch: { label: "1″ sensor", widthMm: 13.2, heightMm: 8.8 },
  phone: { label: "Phone", widthMm: 9.8, heightMm: 7.3 },
} as const satisfies Record<string, Sensor>;
export type SensorName = keyof typeof SENSORS;

/** The f-numbers on a lens's ring in thirds of a stop, with their usual rounding. */
export const STOPS: readonly number[] = [
  ...[0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3.2, 3.5, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9, 10, 11],
  ...[13, 14, 16, 18, 20, 22, 25, 29, 32],
];

/** Focal lengths that the user can set, mm. */
export const FOCAL_LENGTHS = { min: 3, max: 400 } as const;

/** Distances that the user can focus on, m. */
export const FOCUS_DISTANCES = { min: 0.1, max: 20 } as const;

/** A lens on a camera. */
export interface PhotoLens {
  sensor: SensorName;
  focalLengthMm: number;
  fNumber: number;
}

/** Half of the field of view to the side and upwards, as tangents. */
export interface Field {
  readonly across: number;
  readonly down: number;
}

/** The diameter of the entrance pupil, m. Blur is proportional to this diameter. */
export const pupilOf = ({ focalLengthMm, fNumber }: PhotoLens): number => focalLengthMm / fNumber / 1000;

/** The field of view of a lens that is focused far away. */
export function fieldOf({ sensor, focalLengthMm }: PhotoLens): Field {
  const { widthMm, heightMm } = SENSORS[sensor];
  return { across: widthMm / 2 / focalLengthMm, down: heightMm / 2 / focalLengthMm };
}

/** Changes the sensor, and the focal length so that the field of view keeps its height. */
export function onSensor(lens: PhotoLens, sensor: SensorName): Pick<PhotoLens, "sensor" | "focalLengthMm"> {
  const focalLengthMm = lens.focalLengthMm * (SENSORS[sensor].heightMm / SENSORS[lens.sensor].heightMm);
  const { min, max } = FOCAL_LENGTHS;
  return { sensor, focalLengthMm: Number(Math.min(max, Math.max(min, focalLengthMm)).toPrecision(3)) };
}

/** A disc smaller than this share of the picture's diagonal counts as sharp, as photographers define it. */
const SHARP = 1 / 1500;

/**
 * The nearest and the farthest sharp distance in a picture of `field`, m; the farthest is infinite from the hyperfocal distance on. A point
 * at z spreads over pupil · |1/focus − 1/z| as a tangent, which depends on the lens only through the diameter of its pupil.
 */
export function sharpBetween(pupilM: number, focusM: number, { across, down }: Field): [nearM: number, farM: number] {
  const dioptres = (2 * Math.hypot(across, down) * SHARP) / pupilM;
  const far = 1 / focusM - dioptres;
  return [1 / (1 / focusM + dioptres), far > 1e-9 ? 1 / far : Number.POSITIVE_INFINITY];
}

/**
 * The diameter on the sensor, mm, of the circle of confusion of a point this many dioptres before or behind the plane of focus: c = D · f ·
 * |z − F| / (z · (F − f)).
 */
export function circleMm(lens: PhotoLens, focusM: number, dioptres: number): number {
  const focalLengthM = lens.focalLengthMm / 1000;
  const stretch = focusM / Math.max(focusM - focalLengthM, focalLengthM / 10);
  return pupilOf(lens) * lens.focalLengthMm * Math.abs(dioptres) * stretch;
}

/** Example: "40° × 27°", with no-break spaces. */
export function spellField({ across, down }: Field): string {
  const degrees = (tangent: number) => {
    const angle = (360 / Math.PI) * Math.atan(tangent);
    return `${angle < 9.95 ? angle.toFixed(1) : angle.toFixed(0)}°`;
  };
  return `${degrees(across)}\u00a0×\u00a0${degrees(down)}`;
}

/** Millimetres below 10 m, as everywhere in the window. Examples: "1430 mm", "12.3 m", "∞". */
export function spellDistance(metres: number): string {
  if (!Number.isFinite(metres) || metres >= 1000) return "∞";
  if (metres < 9.995) return `${Number((metres * 1000).toPrecision(3))} mm`;
  return `${metres.toFixed(metres < 99.95 ? 1 : 0)} m`;
}
