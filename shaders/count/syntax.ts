import { Cursor } from "./cursor.ts";
import { numberOf, tokensOf } from "./tokens.ts";
import type { Expression, FunctionSyntax, Member, Program, Statement } from "./tree.ts";

// A parser for the subset of WGSL that Depthloom's shaders use. The shaders compile, so its error messages need no detail.

const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
/** Within a template's arguments only these operators may stand bare. */
const ADDITIVE = 8;
const TEMPLATES = /^(array|atomic|ptr|bitcast|vec[234]|mat[234]x[234]|texture_\w+)$/;

/** Parses a shader. Throws an error that names the word at which it stopped. */
export function parse(code: string): Program {
  return new Parser(tokensOf(code)).program();
}

class Parser extends Cursor {
  program(): Program {
    const program: Program = { constants: [], structs: new Map(), globals: new Map(), functions: new Map() };
    while (this.at < this.tokens.length) this.#declaration(program);
    return program;
  }

  #declaration({ constants, structs, globals, functions }: Program): void {
    if (this.take(";")) return;
    if (this.peek() === "enable" || this.peek() === "requires" || this.peek() === "diagnostic") {
      while (!this.take(";")) this.next();
      return;
    }
    const attributes = this.#attributes();
    const kind = this.next();
    if (kind === "override" || kind === "const") {
      const name = this.next();
      const type = this.take(":") ? this.#type() : undefined;
      const value = this.take("=") ? this.#expression() : undefined;
      constants.push({ name, type, value, isOverride: kind === "override" });
    } else if (kind === "struct") {
      structs.set(this.next(), this.#members("{", "}"));
    } else if (kind === "var") {
      const space = this.#space();
      const name = this.next();
      this.expect(":");
      globals.set(name, { ...space, type: this.#type(), value: this.take("=") ? this.#expression() : undefined });
    } else if (kind === "fn") {
      const name = this.next();
      const parameters = this.#members("(", ")");
      if (this.take("->")) {
        this.#attributes();
        this.#type();
      }
      const fn: FunctionSyntax = { parameters, body: this.#block(), size: attributes.get("workgroup_size") ?? [] };
      functions.set(name, fn);
    } else this.fail(kind);
    this.take(";");
  }

  /** `<storage, read>` after `var`; function variables have none. */
  #space(): { readonly space: string; readonly isReadOnly: boolean } {
    if (!this.take("<")) return { space: "handle", isReadOnly: false };
    const space = this.next();
    const access = this.take(",") ? this.next() : "";
    this.expect(">");
    return { space, isReadOnly: space === "uniform" || (space === "storage" && access !== "read_write") };
  }

  #members(open: string, close: string): Member[] {
    const members: Member[] = [];
    this.expect(open);
    while (!this.take(close)) {
      const attributes = this.#attributes();
      const name = this.next();
      this.expect(":");
      const [builtin] = attributes.get("builtin") ?? [];
      members.push({ name, type: this.#type(), builtin: builtin?.text });
      this.take(",");
    }
    return members;
  }

  #attributes(): Map<string, Expression[]> {
    const found = new Map<string, Expression[]>();
    while (this.take("@")) {
      const name = this.next();
      found.set(name, this.peek() === "(" ? this.#arguments() : []);
    }
    return found;
  }

  #block(): Statement[] {
    const statements: Statement[] = [];
    this.expect("{");
    while (!this.take("}")) {
      const statement = this.#statement();
      if (statement) statements.push(statement);
    }
    return statements;
  }

  #statement(): Statement | undefined {
    if (this.take(";")) return undefined;
    const word = this.peek();
    if (word === "{") return { kind: "block", body: this.#block() };
    if (word === "if") return this.#if();
    if (word === "for" || word === "while" || word === "loop") return this.#loop();
    if (word === "continuing") {
      this.next();
      return { kind: "block", body: this.#block() };
    }
    if (word === "return") {
      this.next();
      const value = this.peek() === ";" ? undefined : this.#expression();
      this.expect(";");
      return { kind: "return", value };
    }
    const simple = this.#simple();
    this.expect(";");
    return simple;
  }

  #if(): Statement {
    this.expect("if");
    const condition = this.#expression();
    const yes = this.#block();
    const no = !this.take("else") ? [] : this.peek() === "if" ? [this.#if()] : this.#block();
    return { kind: "if", condition, yes, no };
  }

  #loop(): Statement {
    const word = this.next();
    if (word === "while") {
      return { kind: "loop", first: undefined, condition: this.#expression(), update: undefined, body: this.#block() };
    }
    if (word === "loop") {
      return { kind: "loop", first: undefined, condition: undefined, update: undefined, body: this.#block() };
    }
    this.expect("(");
    const first = this.peek() === ";" ? undefined : this.#simple();
    this.expect(";");
    const condition = this.peek() === ";" ? undefined : this.#expression();
    this.expect(";");
    const update = this.peek() === ")" ? undefined : this.#simple();
    this.expect(")");
    return { kind: "loop", first, condition, update, body: this.#block() };
  }

  #simple(): Statement {
    const word = this.peek();
    if (word === "break" || word === "continue") {
      this.next();
      if (!this.take("if")) return { kind: word };
      return { kind: "if", condition: this.#expression(), yes: [{ kind: word }], no: [] };
    }
    if (word === "let" || word === "const" || word === "var") {
      this.next();
      if (word === "var") this.#space();
      const name = this.next();
      const type = this.take(":") ? this.#type() : undefined;
      const value = this.take("=") ? this.#expression() : undefined;
      return { kind: "declare", name, isMutable: word === "var", type, value };
    }
    const target = this.#unary();
    const operator = this.next();
    if (operator === "++" || operator === "--") {
      const one: Expression = { kind: "number", value: 1, scalar: "int", text: "1" };
      return { kind: "assign", target, operator: operator[0] ?? "", value: one };
    }
    if (operator === ";") {
      this.at--;
      return { kind: "evaluate", value: target };
    }
    if (operator === ")" && target.kind === "call") {
      this.at--;
      return { kind: "evaluate", value: target };
    }
    if (!operator.endsWith("=")) this.fail(operator);
    return { kind: "assign", target, operator: operator.slice(0, -1), value: this.#expression() };
  }

  #expression(level = 0): Expression {
    const begin = this.at;
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#expression(level + 1);
    for (;;) {
      const operator = this.#operator();
      if (!operators.includes(operator)) return left;
      this.at += operator === ">>" ? 2 : 1;
      const right = this.#expression(level + 1);
      left = { kind: "binary", operator, left, right, text: this.text(begin) };
    }
  }

  /** The next operator. `>>` is two tokens, since `>` also ends templates. */
  #operator(): string {
    const [one, two] = [this.tokens[this.at], this.tokens[this.at + 1]];
    return one?.text === ">" && two?.text === ">" && two.at === one.at + 1 ? ">>" : (one?.text ?? "");
  }

  #unary(): Expression {
    const begin = this.at;
    const word = this.peek();
    if (["-", "!", "~", "&", "*"].includes(word)) {
      this.next();
      const of = this.#unary();
      return { kind: "unary", operator: word, of, text: this.text(begin) };
    }
    let found = this.#primary();
    for (;;) {
      if (this.take(".")) {
        const name = this.next();
        found = { kind: "member", of: found, name, text: this.text(begin) };
      } else if (this.take("[")) {
        const at = this.#expression();
        this.expect("]");
        found = { kind: "index", of: found, at, text: this.text(begin) };
      } else return found;
    }
  }

  #primary(): Expression {
    const begin = this.at;
    const token = this.tokens[this.at];
    if (this.take("(")) {
      const inner = this.#expression();
      this.expect(")");
      return inner;
    }
    const word = this.next();
    if (token?.kind === "number") return { kind: "number", ...numberOf(word), text: word };
    if (token?.kind !== "name") this.fail(word);
    const types = TEMPLATES.test(word) && this.peek() === "<" ? this.#templateArguments() : [];
    if (this.peek() !== "(") return { kind: "name", name: word, types, text: this.text(begin) };
    const given = this.#arguments();
    return { kind: "call", name: word, types, arguments: given, text: this.text(begin) };
  }

  #templateArguments(): Expression[] {
    const found: Expression[] = [];
    this.expect("<");
    while (!this.take(">")) {
      found.push(this.#expression(ADDITIVE));
      this.take(",");
    }
    return found;
  }

  #arguments(): Expression[] {
    const found: Expression[] = [];
    this.expect("(");
    while (!this.take(")")) {
      found.push(this.#expression());
      this.take(",");
    }
    return found;
  }

  /** A type is written as an expression without operators. */
  #type(): Expression {
    return this.#primary();
  }
}
