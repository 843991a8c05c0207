/** A depth camera that looks at what is exactly known. What it gives depends on its seed, the frame's index and the scene alone. */
export interface Sensor {
  /**
   * `metres`: exact depth, row-major, Infinity where there is none. `ids`, `infrared`: which solid a pixel shows, and how much of the
   * camera's own light each throws back, 0 … 1. Gives depth in units, 0 for none, a new array.
   */
  measure(metres: Float32Array, ids: Uint8Array, infrared: readonly number[], index: number): Uint16Array;
}
