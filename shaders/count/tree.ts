/** The scalar types; `int` and `float` are those of literals, which take the type of what they meet. */
export type Scalar = "f32" | "f16" | "i32" | "u32" | "bool" | "int" | "float";

/** An expression, with its words as text. Types are written as names. */
export type Expression = { readonly text: string } & (
  | { readonly kind: "number"; readonly value: number; readonly scalar: Scalar }
  | { readonly kind: "name"; readonly name: string; readonly types: readonly Expression[] }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly types: readonly Expression[];
      readonly arguments: readonly Expression[];
    }
  | { readonly kind: "member"; readonly of: Expression; readonly name: string }
  | { readonly kind: "index"; readonly of: Expression; readonly at: Expression }
  | { readonly kind: "unary"; readonly operator: string; readonly of: Expression }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
);

export type Statement =
  | { readonly kind: "block"; readonly body: readonly Statement[] }
  | {
      readonly kind: "declare";
      readonly name: string;
      readonly isMutable: boolean;
      readonly type: Expression | undefined;
      readonly value: Expression | undefined;
    }
  /** `operator` is empty for a plain assignment. */
  | { readonly kind: "assign"; readonly target: Expression; readonly operator: string; readonly value: Expression }
  | { readonly kind: "evaluate"; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly yes: readonly Statement[];
      readonly no: readonly Statement[];
    }
  | {
      readonly kind: "loop";
      readonly first: Statement | undefined;
      readonly condition: Expression | undefined;
      readonly update: Statement | undefined;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "return"; readonly value: Expression | undefined }
  | { readonly kind: "break" }
  | { readonly kind: "continue" };

/** A struct's member or a function's parameter. */
export interface Member {
  readonly name: string;
  readonly type: Expression;
  readonly builtin: string | undefined;
}

export interface Global {
  /** "storage", "uniform", "workgroup", "private", or "handle" for textures. */
  readonly space: string;
  readonly isReadOnly: boolean;
  readonly type: Expression;
  readonly value: Expression | undefined;
}

export interface Constant {
  readonly name: string;
  readonly type: Expression | undefined;
  readonly value: Expression | undefined;
  readonly isOverride: boolean;
}

export interface FunctionSyntax {
  readonly parameters: readonly Member[];
  readonly body: readonly Statement[];
  /** The arguments of `@workgroup_size`. */
  readonly size: readonly Expression[];
}

/** A shader. */
export interface Program {
  readonly constants: Constant[];
  readonly structs: Map<string, readonly Member[]>;
  readonly globals: Map<string, Global>;
  readonly functions: Map<string, FunctionSyntax>;
}
