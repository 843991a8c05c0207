/** A WGSL text with its imports, and what kernels of it are bound to. */
export interface ShaderProgram {
  readonly code: string;
  /** The variables of group 0 that the entry point `main` uses. */
  readonly resources: readonly ShaderResource[];
  /** How many invocations a workgroup has, along x, y and z; 0 where `override` constants decide. */
  readonly workgroup: readonly number[];
  /** The files that the text consists of, in order; without them the text is a file of its own. */
  readonly files?: readonly ShaderFile[];
  /** Whether the text lacks the files' comments and spaces. It has their lines in any case. */
  readonly isBrief?: boolean;
}

/** A file in a shader's text. */
export interface ShaderFile {
  readonly path: string;
  /** How many lines of the text are the file's. */
  readonly lines: number;
}

/** What a WGSL text declares: the build reads it, so that no program has to parse WGSL (config/wgsl.ts). */
export interface Shader {
  /** The text, which a page loads when the first kernel is made of it. */
  load(): ShaderProgram | Promise<ShaderProgram>;
  /** Uniform variables, structs, and the vectors in arrays in storage, by the array's name. */
  readonly layouts: Readonly<Record<string, Layout>>;
  /** Each `const` that is a single u32. */
  readonly constants: Readonly<Record<string, number>>;
}

export interface ShaderResource {
  readonly name: string;
  readonly entry: GPUBindGroupLayoutEntry;
}

/** Where the values of a WGSL type lie, in bytes. `type` names a scalar, a vector or a matrix: "u32", "vec3f", "mat4x4f". */
export type Layout =
  | {
      readonly size: number;
      readonly fields: Readonly<Record<string, { readonly offset: number; readonly type: Layout }>>;
    }
  | { readonly size: number; readonly elementType: Layout; readonly numElements: number }
  | { readonly size: number; readonly type: string };

/**
 * A value of a WGSL type: a number, the numbers of a vector or of a matrix (column by column), an array of values, or an object with a
 * struct's members.
 */
export type LayoutValue = number | object;

/** The memory of a uniform variable or of a struct. */
export interface StructView {
  readonly arrayBuffer: ArrayBuffer;
  /** Writes the members that `values` names, and leaves the others. Throws where a value does not fit its type. */
  set(values: LayoutValue): void;
  /** The byte where a struct's member begins. Throws where there is no such member. */
  offsetOf(member: string): number;
}

/** The bytes of a uniform variable, a struct or the vectors of an array in storage, as the WGSL declares it: from one to the next. */
export const sizeOf = (shader: Shader, name: string): number => layoutOf(shader, name).size;

/** A `const` of a shader that is a single u32. */
export function constantOf({ constants }: Shader, name: string): number {
  const value = constants[name];
  if (value === undefined) throw new Error(`no constant ${name} in the shader`);
  return value;
}

function layoutOf(shader: Shader, name: string): Layout {
  const layout = shader.layouts[name];
  if (!layout) throw new Error(`no uniform variable, struct or array of vectors ${name} in the shader`);
  return layout;
}

function fieldOf(layout: Layout, name: string, member: string) {
  const fields: Partial<Extract<Layout, { fields: unknown }>["fields"]> = "fields" in layout ? layout.fields : {};
  const field = fields[member];
  if (!field)
    throw new Error(`${name} has no member ${member} in the shader; it has ${Object.keys(fields).join(", ")}`);
  return field;
}

/** The memory of the uniform variable `name`, or of a struct of that name, with the layout that the WGSL declares. */
export function structView(shader: Shader, name: string): StructView {
  const layout = layoutOf(shader, name);
  const arrayBuffer = new ArrayBuffer(layout.size);
  const memory = new DataView(arrayBuffer);
  return {
    arrayBuffer,
    set: (values) => write(memory, name, layout, 0, values),
    offsetOf: (member) => fieldOf(layout, name, member).offset,
  };
}

const LEAF = /^(?:atomic<)?(?:vec(?<length>\d)|mat(?<columns>\d)x(?<rows>\d))?<?(?<scalar>[fiu])(?:32)?>?$/;

function write(memory: DataView, name: string, layout: Layout, at: number, value: LayoutValue): void {
  if ("fields" in layout) {
    const members = value as Readonly<Record<string, LayoutValue | undefined>>;
    for (const member in members) {
      const field = fieldOf(layout, name, member);
      const own = members[member];
      if (own !== undefined) write(memory, member, field.type, at + field.offset, own);
    }
    return;
  }
  if ("elementType" in layout) {
    const { elementType, numElements, size } = layout;
    const values = value as readonly LayoutValue[];
    if (values.length !== numElements) throw new Error(`${name} has ${numElements} elements in the shader`);
    for (let i = 0; i < numElements; i++)
      write(memory, name, elementType, at + (i * size) / numElements, values[i] ?? 0);
    return;
  }
  writeNumbers(memory, name, layout.type, at, value as number | ArrayLike<number>);
}

function writeNumbers(
  memory: DataView,
  name: string,
  type: string,
  at: number,
  value: number | ArrayLike<number>,
): void {
  const { length, columns, rows, scalar } = LEAF.exec(type)?.groups ?? {};
  if (!scalar)
    throw new Error(`${name} is ${type}: a member has f32, i32 or u32, atomic or not, or vectors or matrices of these`);
  const down = Number(rows ?? length ?? 1);
  const count = Number(columns ?? 1) * down;
  const isNumber = typeof value === "number";
  if ((isNumber ? 1 : value.length) !== count) throw new Error(`${name} is ${type}: it takes ${count} numbers`);
  // The columns of a matrix lie as far apart as vectors in an array.
  const pitch = 4 * (down === 3 ? 4 : down);
  for (let i = 0; i < count; i++) {
    const place = at + Math.floor(i / down) * pitch + (i % down) * 4;
    const number = isNumber ? value : (value[i] ?? 0);
    if (scalar === "f") memory.setFloat32(place, number, true);
    else memory.setUint32(place, number, true);
  }
}
