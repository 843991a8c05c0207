import type { Token } from "./tokens.ts";

/** A position in the tokens of a shader that advances as they are read. */
export class Cursor {
  protected at = 0;

  constructor(readonly tokens: readonly Token[]) {}

  protected text(begin: number): string {
    return this.tokens
      .slice(begin, this.at)
      .map(({ text }) => text)
      .join(" ");
  }

  protected peek(): string {
    return this.tokens[this.at]?.text ?? "";
  }

  protected next(): string {
    return this.tokens[this.at++]?.text ?? this.fail("the end");
  }

  protected take(text: string): boolean {
    if (this.peek() !== text) return false;
    this.at++;
    return true;
  }

  protected expect(text: string): void {
    if (!this.take(text)) this.fail(this.peek());
  }

  protected fail(word: string): never {
    const around = this.tokens.slice(Math.max(0, this.at - 6), this.at + 3).map((token) => token.text);
    throw new Error(`this is no WGSL that can be counted: "${word}" in "${around.join(" ")}"`);
  }
}
