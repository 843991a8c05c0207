/** A camera's sensor, by what it is sold as; mm. */
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

/** The f-numbers on a lens's ring: thirds of a stop, by the names they go by. */
export const STOPS: readonly number[] = [
  ...[0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3.2, 3.5, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9, 10, 11],
  ...[13, 14, 16, 18, 20, 22, 25, 29, 32],
];

/** Focal lengths that can be set, mm. */
export const FOCAL_LENGTHS = { min: 3, max: 400 } as const;

/** Distances that can be focused on, m. */
export const FOCUS_DISTANCES = { min: 0.1, max: 20 } as const;

/** A lens on a camera. */
export interface Lens {
  sensor: SensorName;
  focalLengthMm: number;
  fNumber: number;
}

/** Half of what is seen to each side and up and down, as the tangents of those angles. */
export interface Field {
  readonly across: number;
  readonly down: number;
}

/** The diameter of the aperture as the light sees it, m. All blur is in proportion to it. */
export const pupilOf = ({ focalLengthMm, fNumber }: Lens): number => focalLengthMm / fNumber / 1000;

/** What the lens sees, focused far away. */
export function fieldOf({ sensor, focalLengthMm }: Lens): Field {
  const { widthMm, heightMm } = SENSORS[sensor];
  return { across: widthMm / 2 / focalLengthMm, down: heightMm / 2 / focalLengthMm };
}

/** The same lens for another sensor: the focal length that sees as much from top to bottom. */
export function onSensor(lens: Lens, sensor: SensorName): Pick<Lens, "sensor" | "focalLengthMm"> {
  const focalLengthMm = lens.focalLengthMm * (SENSORS[sensor].heightMm / SENSORS[lens.sensor].heightMm);
  const { min, max } = FOCAL_LENGTHS;
  return { sensor, focalLengthMm: Number(Math.min(max, Math.max(min, focalLengthMm)).toPrecision(3)) };
}

/** A disc this much smaller than the picture's diagonal passes for a point: the photographers' measure. */
const SHARP = 1 / 1500;

/**
 * Between which distances all is sharp in a picture of `field`, m; the far one is infinite from the hyperfocal distance on.
 * A point at z spreads over pupil · |1/focus − 1/z|, as a tangent: no matter by which lens, only how wide its pupil is.
 */
export function sharpBetween(pupilM: number, focusM: number, { across, down }: Field): [nearM: number, farM: number] {
  const dioptres = (2 * Math.hypot(across, down) * SHARP) / pupilM;
  const far = 1 / focusM - dioptres;
  return [1 / (1 / focusM + dioptres), far > 1e-9 ? 1 / far : Number.POSITIVE_INFINITY];
}

/**
 * The circle of confusion on the sensor, its diameter in mm, of what is so many dioptres before or behind the plane of focus:
 * c = D · f · |z − F| / (z · (F − f)).
 */
export function circleMm(lens: Lens, focusM: number, dioptres: number): number {
  const focalLengthM = lens.focalLengthMm / 1000;
  const stretch = focusM / Math.max(focusM - focalLengthM, focalLengthM / 10);
  return pupilOf(lens) * lens.focalLengthMm * Math.abs(dioptres) * stretch;
}

/** "40° × 27°", in one piece. */
export function spellField({ across, down }: Field): string {
  const degrees = (tangent: number) => {
    const angle = (360 / Math.PI) * Math.atan(tangent);
    return `${angle < 9.95 ? angle.toFixed(1) : angle.toFixed(0)}°`;
  };
  return `${degrees(across)}\u00a0×\u00a0${degrees(down)}`;
}

/** "1.43 m", "48 cm", "∞" */
export function spellDistance(metres: number): string {
  if (!Number.isFinite(metres) || metres >= 1000) return "∞";
  if (metres < 0.995) return `${(metres * 100).toFixed(metres < 0.0995 ? 1 : 0)} cm`;
  return `${metres.toFixed(metres < 9.995 ? 2 : metres < 99.95 ? 1 : 0)} m`;
}
