import type { Data, DataType, NdArray, TypedArray, Value } from "ndarray";
import { OptionError, type Rule, shown } from "./check.ts";

/**
 * Wraps `data` as a row-major array of up to four dimensions, with the fields, methods and results of the package `ndarray`. That package
 * compiles one class per number of dimensions with `new Function`, which a page refuses whose content security policy lacks `unsafe-eval`;
 * this class is plain code. Functions that take `ndarray`'s arrays take these, too. Throws an `OptionError` for a `shape` of more than four
 * dimensions or of more elements than `data` has; without a `shape` the array has one dimension.
 *
 * @example
 * const depth = image(new Uint16Array(640 * 480), [480, 640]);
 */
export function image<D extends TypedArray>(data: D, shape: readonly number[] = [data?.length]): NdArray<D> {
  if (!Array.isArray(shape) || shape.length > 4)
    throw new OptionError(`image: an image has up to four dimensions, not ${shown(shape)}`);
  const size = shape.reduce((size, length) => size * length, 1);
  // An empty array stands for an array that does not exist yet.
  if (!ArrayBuffer.isView(data) || (data.length > 0 && data.length < size))
    throw new OptionError(`image: ${shape.join(" × ")} elements need an array of as many, not ${shown(data)}`);
  const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((size, length) => size * length, 1));
  return new View(data, [...shape], stride, 0);
}

/**
 * Accepts an image of at least one row and one column, with `channels` if given, whose `data`, of one of these kinds, are its elements row
 * by row: no window on another image, which reads as another one where strides are not heeded.
 */
export const imageOf = (kinds: readonly (new (size: number) => TypedArray)[], channels?: number): Rule => ({
  expects: `an ndarray of the shape [height, width${channels ? `, ${channels}` : ""}] whose data, a ${kinds.map(({ name }) => name).join(" or ")}, are its elements row by row`,
  holds(value) {
    const { data, shape, stride, offset } = { ...(value as Partial<NdArray<TypedArray>> | null) };
    if (!Array.isArray(shape) || !Array.isArray(stride) || offset !== 0) return false;
    const [height = 0, width = 0, depth = 1] = shape;
    const isRight = shape.length === (channels ? 3 : 2) && depth === (channels ?? 1) && height > 0 && width > 0;
    const isTight = stride[0] === width * depth && stride[1] === depth && (!channels || stride[2] === 1);
    return isRight && isTight && kinds.some((kind) => data instanceof kind) && data?.length === height * width * depth;
  },
});

/** Accepts depth. */
export const imageRule: Rule = imageOf([Uint16Array]);

/**
 * A window on `data`: the element at (i, j, …) lies at `offset` + stride · (i, j, …). The methods return other windows on the same data.
 */
class View<D extends TypedArray> implements NdArray<D> {
  constructor(
    readonly data: D,
    readonly shape: number[],
    readonly stride: number[],
    readonly offset: number,
  ) {}

  get dtype(): DataType<D> {
    return typeOf(this.data) as DataType<D>;
  }

  get dimension(): number {
    return this.shape.length;
  }

  get size(): number {
    return this.shape.reduce((size, length) => size * length, 1);
  }

  /** The axes, in the order of their strides, the smallest first. */
  get order(): number[] {
    const step = (axis: number) => Math.abs(this.stride[axis]);
    return this.stride.map((_, axis) => axis).sort((a, b) => step(a) - step(b));
  }

  // These methods take four numbers, not a list: callers ask for pixels one by one, and a list would be allocated for each.
  index(i = 0, j = 0, k = 0, l = 0): Value<D> {
    return at(this, i, j, k, l) as Value<D>;
  }

  get(i = 0, j = 0, k = 0, l = 0): Value<D> {
    return this.data[at(this, i, j, k, l)] as Value<D>;
  }

  /** Writes a value, which is the argument behind the indices: `set(row, column, value)` in two dimensions. */
  set(i: number, j = 0, k = 0, l = 0, last = 0): Value<D> {
    const value = [i, j, k, l, last][this.shape.length];
    this.data[at(this, i, j, k, l)] = value;
    return value as Value<D>;
  }

  /** A window without the first `from[axis]` elements of each axis. */
  lo(...from: number[]): NdArray<D> {
    const skipped = this.shape.map((_, axis) => (isPlace(from[axis]) ? from[axis] | 0 : 0));
    const offset = skipped.reduce((sum, count, axis) => sum + count * this.stride[axis], this.offset);
    return new View(
      this.data,
      this.shape.map((length, axis) => length - skipped[axis]),
      [...this.stride],
      offset,
    );
  }

  /** A window on the first `to[axis]` elements of each axis. */
  hi(...to: number[]): NdArray<D> {
    const shape = this.shape.map((length, axis) => (isPlace(to[axis]) ? to[axis] | 0 : length));
    return new View(this.data, shape, [...this.stride], this.offset);
  }

  /** A window on every `by[axis]`-th element of each axis; a negative step walks the axis backwards. */
  step(...by: number[]): NdArray<D> {
    const steps = this.shape.map((_, axis) => (typeof by[axis] === "number" ? by[axis] | 0 : 1));
    let { offset } = this;
    for (const [axis, step] of steps.entries()) {
      if (step < 0) offset += this.stride[axis] * (this.shape[axis] - 1);
    }
    return new View(
      this.data,
      this.shape.map((length, axis) => Math.ceil(length / Math.abs(steps[axis]))),
      this.stride.map((stride, axis) => stride * steps[axis]),
      offset,
    );
  }

  /** The same elements with their axes in the order `axes`. */
  transpose(...axes: number[]): NdArray<D> {
    const order = this.shape.map((_, axis) => (axes[axis] === undefined ? axis : axes[axis] | 0));
    return new View(
      this.data,
      order.map((axis) => this.shape[axis]),
      order.map((axis) => this.stride[axis]),
      this.offset,
    );
  }

  /** The elements at the given index of some axes, which the result no longer has; `null` keeps an axis. */
  pick(...places: (number | null)[]): NdArray<D> {
    const kept = this.shape.map((_, axis) => axis).filter((axis) => !isPlace(places[axis]));
    const offset = this.stride.reduce((sum, stride, axis) => {
      const place = places[axis];
      return isPlace(place) ? sum + stride * place : sum;
    }, this.offset);
    return new View(
      this.data,
      kept.map((axis) => this.shape[axis]),
      kept.map((axis) => this.stride[axis]),
      offset,
    );
  }

  /** The array with its axes in reverse order. The types of `ndarray` declare `T`, which the package itself lacks. */
  get T(): NdArray<D> {
    return this.transpose(...this.shape.map((_, axis) => this.shape.length - 1 - axis));
  }
}

function at({ offset, stride }: NdArray<Data>, i: number, j: number, k: number, l: number): number {
  if (stride.length === 2) return offset + stride[0] * i + stride[1] * j;
  if (stride.length === 3) return offset + stride[0] * i + stride[1] * j + stride[2] * k;
  if (stride.length === 1) return offset + stride[0] * i;
  return stride.length === 4 ? offset + stride[0] * i + stride[1] * j + stride[2] * k + stride[3] * l : offset;
}

const isPlace = (place: number | null | undefined): place is number => typeof place === "number" && place >= 0;

/** The element type as `ndarray` names it: "uint16", "uint8_clamped" … */
const typeOf = (data: TypedArray): string =>
  Object.prototype.toString
    .call(data)
    .slice("[object ".length, -"Array]".length)
    .replace(/(?<=.)([A-Z])/, "_$1")
    .toLowerCase();
