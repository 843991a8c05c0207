import {
  BufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
} from "three";
import { QUAD } from "./form.ts";

/** Points that were copied from the CPU. */
export class Uploaded {
  #geometry = new InstancedBufferGeometry();
  #words = new InstancedInterleavedBuffer(new Uint32Array(4), 4);
  #count = 0;

  constructor() {
    this.#make(1);
  }

  /** Replaced if there are more points than it has room for. */
  get geometry(): InstancedBufferGeometry {
    return this.#geometry;
  }

  /** The points, four words each. */
  get words(): Uint32Array {
    return (this.#words.array as Uint32Array).subarray(0, this.#count * 4);
  }

  /** Takes the first `count` points of an array that may be used again. */
  set(words: Uint32Array, count: number): void {
    if (count * 4 > this.#words.array.length) this.#make(count);
    this.#words.array.set(words.subarray(0, count * 4));
    this.#count = count;
    this.#geometry.instanceCount = count;
    this.#words.clearUpdateRanges();
    this.#words.addUpdateRange(0, count * 4);
    this.#words.needsUpdate = count > 0;
  }

  /** The buffer has room for half as many points more, so that a growing cloud does not need a new buffer each time. */
  #make(count: number): void {
    this.#geometry.dispose();
    this.#geometry = new InstancedBufferGeometry();
    this.#words = new InstancedInterleavedBuffer(new Uint32Array(Math.ceil(count * 1.5) * 4), 4);
    this.#geometry.setAttribute("position", new BufferAttribute(QUAD, 3));
    this.#geometry.setAttribute("point", new InterleavedBufferAttribute(this.#words, 4, 0));
    this.#geometry.instanceCount = 0;
  }

  dispose(): void {
    this.#geometry.dispose();
  }
}
