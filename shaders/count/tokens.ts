/** A word of a shader: its text, and where it begins. */
export interface Token {
  readonly kind: "name" | "number" | "sign";
  readonly text: string;
  readonly at: number;
}

const NUMBER =
  /0[xX][0-9a-fA-F]+[iu]?|\d+\.\d*(?:[eE][+-]?\d+)?[fh]?|\.\d+(?:[eE][+-]?\d+)?[fh]?|\d+[eE][+-]?\d+[fh]?|\d+[iufh]?/;
const SIGN = />>=|<<=|\+\+|--|->|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|==|!=|<=|>=|<<|&&|\|\||[-+*/%&|^~!<>=(){}[\],;:.@]/;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//;
const WORD = new RegExp(
  `${COMMENT.source}|(?<name>[A-Za-z_]\\w*)|(?<number>${NUMBER.source})|(?<sign>${SIGN.source})|\\s+`,
  "y",
);

/** The words of a shader, without comments. Throws an error for a character that WGSL does not have. */
export function tokensOf(code: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < code.length; at = WORD.lastIndex) {
    WORD.lastIndex = at;
    const { groups, 0: text } = WORD.exec(code) ?? {};
    if (text === undefined) throw new Error(`this is no WGSL: "${code.slice(at, at + 20)}"`);
    const kind = groups?.name ? "name" : groups?.number ? "number" : groups?.sign ? "sign" : undefined;
    if (kind) tokens.push({ kind, text, at });
  }
  return tokens;
}

/** The value of a number's word, and the type that its suffix gives it. */
export function numberOf(word: string): {
  readonly value: number;
  readonly scalar: "i32" | "u32" | "f32" | "int" | "float";
} {
  const isHex = /^0x/i.test(word);
  const suffix = isHex ? word.match(/[iu]$/)?.[0] : word.match(/[iufh]$/)?.[0];
  const value = Number(suffix ? word.slice(0, -1) : word);
  if (suffix === "u") return { value, scalar: "u32" };
  if (suffix === "i") return { value, scalar: "i32" };
  if (suffix) return { value, scalar: "f32" };
  return { value, scalar: isHex || /^\d+$/.test(word) ? "int" : "float" };
}
