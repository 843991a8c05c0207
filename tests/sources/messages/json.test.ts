import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../sources/messages/picture.ts";
import { readJson } from "../../../sources/messages/readers.ts";
import { Values } from "../../../sources/messages/values.ts";

const pixels = Uint8Array.from({ length: 6000 }, (_, i) => (i * 7919) >> 3);
const letters = Buffer.from(pixels).toString("base64");
const more = Buffer.from(pixels.subarray(0, 5999)).toString("base64");
const header = { frame_id: "camera", width: 60, height: 50, encoding: "16UC1", step: 120 };

const read = (text: string | Uint8Array) => {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return readJson(bytes, new Values("foxglove/RawImage", bytes.length));
};

/** What `JSON.parse` makes of the bytes, or its error. */
function expected(text: string | Uint8Array): unknown {
  const value = JSON.parse(new TextDecoder().decode(typeof text === "string" ? new TextEncoder().encode(text) : text));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("the JSON text is not an object");
  return value;
}

/** Base64 whose last letter before padding may have bits that mean nothing: it is compared by its bytes. */
const BASE64 = /^([A-Za-z\d+/]{4})*[A-Za-z\d+/]{2}(==|[A-Za-z\d+/]=)$/;
const plain = (value: unknown) => {
  if (value instanceof Uint8Array) return base64Of(value);
  return typeof value === "string" && BASE64.test(value) ? base64Of(Buffer.from(value, "base64")) : value;
};

const outcome = (make: () => unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(make(), (_, value) => plain(value)));
  } catch (error) {
    // The parser's own words quote the text, which may have a mark.
    return error instanceof SyntaxError ? "no JSON" : String(error);
  }
};
const base64Of = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

describe("an image's base64 becomes bytes without being parsed", () => {
  test.each<[string, string, (message: Record<string, Record<string, unknown>>) => unknown]>([
    ["last", JSON.stringify({ ...header, data: letters }), ({ data }) => data],
    ["first, with blanks", `{ "data" : "${letters}",\n "width": 60 }`, ({ data }) => data],
    [
      "in a field",
      JSON.stringify({ depth: { ...header, data: letters }, note: "" }),
      ({ depth }: Record<string, Record<string, unknown>>) => depth.data,
    ],
  ])("%s", (_, text, data) => {
    expect(data(read(text) as Record<string, Record<string, unknown>>)).toEqual(pixels);
  });

  test("two images, each in its place", () => {
    const message = read(JSON.stringify({ rgb: { data: more }, depth: { data: letters } }));
    expect(message).toEqual({ rgb: { data: pixels.subarray(0, 5999) }, depth: { data: pixels } });
  });
});

describe("everything else is as JSON.parse has it", () => {
  test.each([
    ["escapes beside the image", `{"frame_id":"a\\"\\u0041\\\\","data":"${letters}"}`],
    ["an escape in the image", `{"data":"${letters.replace("/", "\\/")}"}`],
    ["a text that ends in the image's name", `{"frame_id":"\\"data\\":","data":"${letters}"}`],
    ["the name twice", `{"data":"${letters}","data":"${more}"}`],
    ["the name twice, short behind", `{"data":"${letters}","data":"AAAA"}`],
    ["another name", `{"note":"${letters}"}`],
    ["images in a list", JSON.stringify({ images: [{ data: letters }, { data: more }] })],
    ["a mark that is the sender's", JSON.stringify({ frame_id: "depthloom: image 0", data: letters })],
    ["a letter of no base64", `{"data":"${letters.replace("A", "*")}"}`],
    ["letters of addresses", `{"data":"${letters.replaceAll("+", "-")}"}`],
    ["bits that mean nothing", `{"data":"${more.slice(0, -2)}${more.at(-2) === "B" ? "A" : "B"}="}`],
    ["no padding", `{"data":"${more.slice(0, -1)}"}`],
    ["padding in the middle", `{"data":"${more}${letters}"}`],
    ["cut short", `{"data":"${letters.slice(0, 5000)}`],
    ["a comma missing", `{"width":60 "data":"${letters}"}`],
    ["a second value", `{"data":"${letters}"} {}`],
    ["a byte order mark", `\ufeff{"data":"${letters}"}`],
    ["a list", JSON.stringify([{ data: letters }])],
    ["a text", JSON.stringify(letters)],
    ["deep", `${'{"a":'.repeat(9)}{"data":"${letters}"}${"}".repeat(9)}`],
    ["an own __proto__", `{"__proto__":{"data":"${letters}"},"data":"${more}"}`],
    ["numbers", JSON.stringify({ ...header, data: Array.from(pixels.subarray(0, 900)) })],
  ])("%s", (_, text) => {
    expect(outcome(() => read(text))).toEqual(outcome(() => expected(text)));
  });

  test("a blank in the letters is taken as it was", () => {
    const { data } = read(`{"data":"${letters.slice(0, 4096)} ${letters.slice(4096)}"}`);
    expect(bytesOf(data, "here")).toEqual(pixels);
  });

  test("any damaged byte, cut or repeated part", () => {
    const sound = new TextEncoder().encode(JSON.stringify({ ...header, data: letters, camera: { data: more } }));
    const at = fc.oneof(fc.nat(200), fc.integer({ min: 8040, max: sound.length - 1 }), fc.nat(sound.length - 1));
    fc.assert(
      fc.property(fc.array(fc.tuple(at, fc.integer({ min: 0, max: 255 }), at), { maxLength: 3 }), (changes) => {
        let bytes: Uint8Array = Uint8Array.from(sound);
        for (const [from, value, to] of changes) {
          if (value % 3 === 0) bytes = Uint8Array.from([...bytes.subarray(0, from), ...bytes.subarray(to)]);
          else bytes[Math.min(from, bytes.length - 1)] = value;
        }
        expect(outcome(() => read(bytes))).toEqual(outcome(() => expected(bytes)));
      }),
      { numRuns: 300 },
    );
  });
});
