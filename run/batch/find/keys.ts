import { createHash } from "node:crypto";
import { sep } from "node:path";
import { isRemote } from "../../../core/address.ts";
import type { FoundRecording } from "./found.ts";

/** The most bytes of a part of a key: file systems take 255, and a mark may follow. */
const LONGEST_PART = 200;

/** Whether a key names a folder below that of all results, in one way only. */
export const isKey = (key: unknown): key is string =>
  typeof key === "string" && key !== "" && key.split("/").every((part) => !isOdd(part));

const isOdd = (part: string) =>
  /^\.{0,2}$/.test(part) || CONTROL.test(part) || (sep !== "/" && part.includes(sep)) || tooLong(part);
const tooLong = (part: string) => Buffer.byteLength(part) > 255;

/** Characters that a terminal obeys, or that end a line: no folder of results has them in its name. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** The key of a recording whose path has such characters: the path with "_" in place of each, and a mark. */
export const printable = (key: string): string =>
  CONTROL.test(key) ? `${key.replace(new RegExp(CONTROL, "gu"), "_")}~${mark(key)}` : key;

/** Tells two recordings with the same name apart by eight digits of a hash. */
const mark = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** Parameters of an address that grant access to a file and do not choose it, in an address that is signed. */
const GRANTS =
  /^(x-amz-.*|x-goog-.*|awsaccesskeyid|googleaccessid|signature|expires|key-pair-id|policy|sig|se|sp|sv|st|sr|spr|sk[a-z]{1,3})$/i;
const SIGNED = /^(x-amz-signature|x-goog-signature|signature|sig)$/i;

/** The address without a password and a signature: it stays the same, however often the address is signed anew. */
function fileAt(address: string): string {
  if (/^s3:/i.test(address) || !URL.canParse(address)) return address.replace(/^s3:/i, "s3:");
  const url = new URL(address);
  Object.assign(url, { username: "", password: "", hash: "" });
  const names = [...url.searchParams.keys()];
  if (names.some((name) => SIGNED.test(name)))
    for (const name of names.filter((one) => GRANTS.test(one))) url.searchParams.delete(name);
  return url.href;
}

/**
 * The key of a recording at an address: `remote/`, the server or bucket, and its path. Where these do not tell the whole address (a query,
 * empty parts, characters in another spelling), a mark follows, so that two addresses never have the same key.
 */
export function keyOf(address: string): string {
  const file = fileAt(address);
  const isS3 = file.startsWith("s3:");
  const [, scheme = "", path = ""] = /^(\w+:\/\/)(.*)$/s.exec(isS3 ? file : decoded(file.replace(/\?.*$/s, ""))) ?? [];
  const parts = path.split("/").filter((part) => !/^\.{0,2}$/.test(part));
  const named = parts.map((part) => (Buffer.byteLength(part) > LONGEST_PART ? part.slice(0, LONGEST_PART / 4) : part));
  const told = `${scheme}${named.join("/")}`;
  const whole = isS3 ? told === file : URL.canParse(told) && new URL(told).href === file;
  return printable(`remote/${named.join("/")}${whole ? "" : `~${mark(file)}`}`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * The recordings, each once, with keys whose folders do not lie in each other: a recording that lies in another one (a folder's subfolder
 * that is an input of its own) gets a key beside the other's.
 */
export function apart(all: readonly FoundRecording[]): FoundRecording[] {
  const each = [...new Map(all.map((one) => [originOf(one), one])).values()];
  const counts = new Map<string, number>();
  for (const { key } of each) counts.set(key, (counts.get(key) ?? 0) + 1);
  return each.map((one) => {
    const parts = one.key.split("/");
    const around = parts.map((_, i) => parts.slice(0, i + 1).join("/")).find((key) => counts.has(key)) ?? one.key;
    const alone = around === one.key && counts.get(one.key) === 1;
    return alone ? one : { ...one, key: `${around}~${mark(isRemote(one.input) ? fileAt(one.input) : one.key)}` };
  });
}

const originOf = ({ input, topic = "" }: FoundRecording) => (isRemote(input) ? fileAt(input) : `${input}\0${topic}`);
