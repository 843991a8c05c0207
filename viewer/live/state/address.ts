import { short, shown } from "../../../core/check.ts";
import type { NamedValue } from "./changedValues.ts";

/** Addresses longer than this are refused. An address with every setting has a quarter of this length. */
const LONGEST = 16_000;
/** Characters that need no escape behind the #, and read better without one. */
const PLAIN: Readonly<Record<string, string>> = { "%2C": ",", "%2F": "/", "%3A": ":" };

/** Writes settings as an address has them behind its #: "median.size=5&view=points". */
export function addressWith(fields: readonly NamedValue[]): string {
  const encode = (text: string) => encodeURIComponent(text).replace(/%2C|%2F|%3A/g, (code) => PLAIN[code] ?? code);
  return fields.map(([name, value]) => `${name}=${encode(String(value))}`).join("&");
}

/** Splits an address, with or without its #, into names and values, and lists the parts that are neither. The values are not checked. */
export function valuesIn(address: string) {
  const fields: [name: string, value: string][] = [];
  const complaints: string[] = [];
  const text = address.replace(/^#/, "");
  if (text.length > LONGEST) return { fields, complaints: [`it is longer than ${LONGEST} characters`] };
  for (const part of text.split("&").filter(Boolean)) {
    const [name = "", ...value] = part.split("=");
    try {
      if (value.length === 0) throw new Error("no value");
      fields.push([decodeURIComponent(name), decodeURIComponent(value.join("="))]);
    } catch {
      complaints.push(`${shown(short(part, 60))} is no setting: it must be name=value`);
    }
  }
  return { fields, complaints };
}
