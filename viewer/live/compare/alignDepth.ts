import { LensModel, type PlanePoint } from "../../../core/calibration/lens.ts";
import { type DepthArray, type Intrinsics, image } from "../../../sources/index.ts";

/** Filtered depth on the sensor's own pixels. */
export interface Aligned {
  readonly depth: DepthArray;
  /** Whether the filtered image covers the direction that the sensor's pixel looks in. */
  readonly shows: (pixel: number) => boolean;
}

/**
 * Maps filtered depth to the sensor's own pixels, so that raw and filtered depth can be compared pixel by pixel. A stage that undoes the
 * lens distortion moves pixels and cuts off the image's edge; one that makes the image smaller leaves fewer pixels.
 */
export class Aligner {
  #key = "";
  /** For each of the sensor's pixels the index of the filtered pixel that looks in the same direction, or −1. */
  #places = new Int32Array();

  /** `sensor` and `filtered` are the cameras of the two images; `depth` is the filtered one. */
  align(depth: DepthArray, sensor: Intrinsics, filtered: Intrinsics): Aligned {
    const key = JSON.stringify([sensor, filtered]);
    if (JSON.stringify(sensor) === JSON.stringify(filtered)) return { depth, shows: () => true };
    if (key !== this.#key) this.#places = placesOf(sensor, filtered);
    this.#key = key;
    const places = this.#places;
    const moved = Uint16Array.from(places, (place) => (place < 0 ? 0 : depth.data[place]));
    return { depth: image(moved, [sensor.height, sensor.width]), shows: (pixel) => places[pixel] >= 0 };
  }
}

function placesOf(sensor: Intrinsics, filtered: Intrinsics): Int32Array<ArrayBuffer> {
  const places = new Int32Array(sensor.width * sensor.height).fill(-1);
  const from = new LensModel(sensor);
  const to = new LensModel(filtered);
  const place: PlanePoint = [0, 0];
  for (let v = 0, at = 0; v < sensor.height; v++) {
    for (let u = 0; u < sensor.width; u++, at++) {
      from.unproject(u, v, place);
      to.project(place[0], place[1], place);
      const [column, row] = [Math.round(place[0]), Math.round(place[1])];
      // Where the lens has no ray for a pixel, the place is NaN, and every comparison with NaN is false.
      if (column >= 0 && row >= 0 && column < filtered.width && row < filtered.height)
        places[at] = row * filtered.width + column;
    }
  }
  return places;
}
