import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { Address, shownAddress, withoutAccess } from "../../../core/address.ts";
import { httpRanges } from "../../../sources/files/http.ts";
import { fetchRanges } from "../../../sources/files/httpWeb.ts";
import { lookupFrom, mayLead, reachOf } from "../../../sources/files/reach.ts";
import { SourceError } from "../../../sources/index.ts";

// Files over HTTP, from servers that change, break, lie, redirect and are silent.

const SIZE = 100_000;
const file = new Uint8Array(SIZE).map((_, i) => (i * 31) >> 3);

interface Asked {
  readonly from: number;
  readonly to: number;
  /** Counts the requests, from 0; the first asks for the size. */
  readonly count: number;
}

/** Serves `file` by ranges. `answer` may answer in place of the server: it returns whether it has. */
async function serving(
  answer: (asked: Asked, response: ServerResponse, request: IncomingMessage) => boolean,
): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    const [from = 0, to = 0] = (/^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? []).slice(1).map(Number);
    if (!answer({ from, to, count: count++ }, response, request))
      response.writeHead(206, rangeOf(from, to)).end(file.subarray(from, to + 1));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.bag?sig=secret`;
}

const rangeOf = (from: number, to: number, size = SIZE) => ({
  "content-range": `bytes ${from}-${to}/${size}`,
  "content-length": String(to - from + 1),
});

/** The message of the error with which reading the first bytes fails, or the bytes. */
async function reading(address: string, end = SIZE, stallSeconds?: number): Promise<string | Uint8Array> {
  try {
    return await (await httpRanges(new Address(address), stallSeconds)).read(0, end);
  } catch (error) {
    expect(error).toBeInstanceOf(SourceError);
    return (error as Error).message;
  }
}

test("a body that breaks is asked for again from where it broke", async () => {
  const asked: number[] = [];
  const address = await serving(({ from, to, count }, response) => {
    if (count > 0) asked.push(from);
    if (count === 0 || asked.length > 2) return false;
    response.writeHead(206, rangeOf(from, to)).write(file.subarray(from, from + 30_000), () => response.destroy());
    return true;
  });
  expect(await reading(address)).toEqual(file);
  expect(asked).toEqual([0, 30_000, 60_000]);
});

test("a body that breaks each time, and a server that is gone, are named", async () => {
  const breaking = await serving(({ from, to, count }, response) => {
    if (count > 0) response.writeHead(206, rangeOf(from, to)).write(file.subarray(0, 10), () => response.destroy());
    return count > 0;
  });
  const [broken, gone] = await Promise.all([reading(breaking), reading("http://127.0.0.1:1/a.bag?sig=secret")]);
  expect(broken).toMatch(/\/a\.bag: the connection broke 4 times \(.+\), last after 40 of 100000 bytes; try again$/);
  expect(gone).toMatch(/\/a\.bag: its server cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1; check/);
});

test.each([
  ["size", () => rangeOf(0, 99, SIZE + 1)],
  ["time", () => ({ ...rangeOf(0, 99), "last-modified": "Tue, 02 Jan 2024 00:00:00 GMT" })],
])("a file whose %s changes on a server without tags was changed", async (_, headers) => {
  const address = await serving(({ count, from, to }, response) => {
    const first = { ...rangeOf(from, to), "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" };
    response.writeHead(206, count === 0 ? first : headers()).end(file.subarray(from, to + 1));
    return true;
  });
  expect(await reading(address, 100)).toMatch(/\/a\.bag: it was changed while it was read; open it again$/);
});

test.each([
  ["other bytes", rangeOf(1, 100), /was asked for bytes 0 to 99 and sends others/],
  ["packed bytes", { ...rangeOf(0, 99), "content-encoding": "gzip" }, /packs what it sends \(gzip\)/],
])("a server that sends %s is refused", async (_, headers, why) => {
  const address = await serving(({ count }, response) => {
    if (count > 0) response.writeHead(206, headers).end(file.subarray(0, 100));
    return count > 0;
  });
  expect(await reading(address, 100)).toMatch(why);
});

test("a body without an end is cut off at the end of its range", async () => {
  let sent = 0;
  const address = await serving(({ count }, response) => {
    if (count === 0) return false;
    response.writeHead(206, { "content-range": `bytes 0-99/${SIZE}` });
    const more = () => {
      while (!response.destroyed && response.write(file)) sent += SIZE;
    };
    response.on("drain", more);
    more();
    return true;
  });
  expect(await reading(address, 100)).toMatch(
    /\/a\.bag: more bytes came than 0 to 99, which the server was asked for$/,
  );
  expect(sent).toBeLessThan(100 * SIZE);
});

test("a server that sends nothing, no answer or no further bytes, is named, and not called a damaged file", async () => {
  const said = /\/a\.bag: its server has sent nothing for 0\.1 seconds; check the connection/;
  expect(await reading(await serving(() => true), 100, 0.1)).toMatch(said);
  const halting = await serving(({ count, from, to }, response) => {
    if (count > 0) response.writeHead(206, rangeOf(from, to)).write(file.subarray(0, 10));
    return count > 0;
  });
  expect(await reading(halting, 100, 0.1)).toMatch(said);
});

describe("a redirection", () => {
  const leading = (to: string) =>
    serving((_, response) => {
      response.writeHead(302, { location: to }).end();
      return true;
    });

  test("is followed to a server of the same reach", async () => {
    expect(await reading(await leading(await serving(() => false)), 100)).toEqual(file.slice(0, 100));
  });

  test.each(["http://169.254.169.254/", "http://10.0.0.1/", "http://0xa000001/", "http://[fd00:ec2::254]/"])(
    "to %s is not followed from this machine",
    async (to) => {
      expect(await reading(await leading(to))).toMatch(/redirects to [^ ]+, which is on this machine or in a private/);
    },
  );

  test("in circles, and to a file of the disk, is refused", async () => {
    for (const to of ["/a.bag", "file:///etc/passwd"])
      expect(await reading(await leading(to))).toMatch(/redirects in circles or to what is no file/);
  });

  test("by a name is looked up before it is followed", async () => {
    const found = (look: LookupFunction) =>
      new Promise((resolve) => look("localhost", { all: true }, (error, all) => resolve(error?.message ?? all)));
    expect(await found(lookupFrom("public", "a.bag"))).toMatch(
      /^a\.bag: the server redirects to localhost, which is on/,
    );
    expect(await found(lookupFrom("machine", "a.bag"))).toEqual([
      expect.objectContaining({ family: expect.any(Number) }),
    ]);
  });
});

test.each([
  ["machine", ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::ffff:127.0.0.1"]],
  ["link", ["169.254.169.254", "fe80::1%eth0", "::ffff:169.254.169.254", "fd00:ec2::254"]],
  ["private", ["10.1.2.3", "172.31.0.1", "192.168.1.1", "100.64.0.1", "fd12::1", "64:ff9b::7f00:1"]],
  [
    "private",
    ["::7f00:1", "::ffff:0:127.0.0.1", "2001:0:7f00:1::1", "2002:7f00:1::1", "64:ff9b:1::a00:1", "224.0.0.1"],
  ],
  ["private", ["255.255.255.255", "ff02::1", "240.0.0.1", "::ffff:10.0.0.1"]],
  ["public", ["93.184.216.34", "172.32.0.1", "2606:4700::1", "2001:4860::8888", "::ffff:93.184.216.34", "223.5.5.5"]],
] as const)("the reach of %s addresses (%j)", (reach, all) => {
  expect(all.map(reachOf)).toEqual(all.map(() => reach));
  expect(mayLead("public", reach)).toBe(reach === "public");
});

describe("an address", () => {
  test.each([
    ["https://me:pass@x.org/a%20b.bag?X-Amz-Signature=secret#part", "https://x.org/a%20b.bag"],
    ["s3://bucket/what?.bag", "s3://bucket/what?.bag"],
    ["wss://me:pass@x.org/s?token=secret&key=secret", "wss://…@x.org/s?token=…&key=…"],
    ["redis://:pass@host:6379", "redis://host:6379"],
    ["/data/what?.bag", "/data/what?.bag"],
  ])("%s is shown as %s", (whole, told) => {
    expect(shownAddress(whole)).toBe(told);
    const address = new Address(whole);
    for (const text of [`${address}`, JSON.parse(JSON.stringify({ address })).address, inspect(address)])
      expect(text).toBe(told);
    expect(withoutAccess(`(${whole}, ${whole}: no)`)).toBe(`(${told}, ${told}: no)`);
    expect(new SourceError(`cannot parse "${whole}"`).message).toBe(`cannot parse "${told}"`);
  });

  test.each([
    ["behind dots", `${".".repeat(40)}https://me:secret@host/f`, `${".".repeat(40)}https://host/f`],
    ["behind a long word", `${"a".repeat(40)}https://me:secret@host/f`, `${"a".repeat(40)}https://host/f`],
    ["among many words", "a.".repeat(500_000), "a.".repeat(500_000)],
    ["of colons", `a://${":".repeat(500_000)} b`, `a://${":".repeat(500_000)} b`],
    ["of questions", `ws://h/${"?".repeat(500_000)} b`, `ws://h/${"?".repeat(500_000)} b`],
  ])("in a text %s is shown without access, in time in proportion to the text", (_, text, shown) => {
    expect(withoutAccess(text) === shown).toBe(true);
  });

  test("with a password sends it to its server, and to no other", async () => {
    const heard: (string | undefined)[] = [];
    const hears = (response?: (response: ServerResponse) => void) =>
      serving((_, answer, { headers }) => {
        heard.push(headers.authorization);
        response?.(answer);
        return response !== undefined;
      });
    const other = await hears();
    const first = await hears((response) => response.writeHead(307, { location: other }).end());
    await httpRanges(new Address(first.replace("//", "//me:p%40ss@")));
    expect(heard).toEqual([`Basic ${btoa("me:p@ss")}`, undefined]);
  });
});

describe("in a page, by fetch", () => {
  /** The bytes from `from`, or the message of the error. */
  const fetching = async (address: string, from = 0, stallSeconds?: number): Promise<string | Uint8Array> => {
    try {
      return await (await fetchRanges(new Address(address), stallSeconds)).read(from, from + 50_000);
    } catch (error) {
      expect(error).toBeInstanceOf(SourceError);
      return (error as Error).message;
    }
  };
  const part = file.subarray(50, 50_050);

  test("a file is read by ranges, and a range again whose body breaks", async () => {
    const address = await serving(({ count, from, to }, response) => {
      if (count === 1) response.writeHead(206, rangeOf(from, to)).write(file.subarray(0, 10), () => response.destroy());
      return count === 1;
    });
    expect(await fetching(address, 50)).toEqual(part);
  });

  test("a range out of a packed file that the browser has kept is asked for again, past what it keeps", async () => {
    const caches: (string | undefined)[] = [];
    const address = await serving(({ count, from, to }, response, { headers }) => {
      caches.push(headers["cache-control"]);
      if (count === 1) response.writeHead(206, { "content-range": rangeOf(from, to)["content-range"] }).end(file);
      return count === 1;
    });
    expect(await fetching(address, 50)).toEqual(part);
    expect(caches).toEqual([undefined, undefined, "no-cache"]);
  });

  test("a file is read by ranges from a server that takes 0-0 for the whole file", async () => {
    const asked: (string | undefined)[] = [];
    const address = await serving(({ from, to }, response, { headers }) => {
      asked.push(headers.range);
      const end = to || SIZE - 1;
      response.writeHead(206, rangeOf(from, end)).end(file.subarray(from, end + 1));
      return true;
    });
    expect(await fetching(address, 50)).toEqual(part);
    expect(asked).toEqual(["bytes=0-1", "bytes=50-50049"]);
  });

  test.each([
    ["gives no ranges", {}],
    ["does not let pages read Content-Range", undefined],
  ])("a file is read as a whole where the server %s", async (_, head) => {
    const address = await serving((_asked, response, { headers }) => {
      const isPart = head === undefined && headers.range !== undefined;
      response.writeHead(isPart ? 206 : 200).end(isPart ? "x" : file);
      return true;
    });
    expect(await fetching(address, 50)).toEqual(part);
  });

  test.each([
    ["has changed", ({ from, to, count }: Asked) => [206, rangeOf(from, to, SIZE + count)] as const, /it was changed/],
    ["is not there", () => [404, {}] as const, /the server says 404 Not Found; check the address/],
    ["is empty", () => [416, {}] as const, /this file is empty/],
    ["is busy", () => [503, {}] as const, /the server says 503/],
  ])("a file that %s is named", async (_, head, why) => {
    const address = await serving((asked, response) => {
      const [status, headers] = head(asked);
      response.writeHead(status, headers).end(file.subarray(asked.from, status === 206 ? asked.to + 1 : 0));
      return true;
    });
    const message = await fetching(address);
    expect(message).toMatch(why);
    expect(message).not.toContain("secret");
  });
});
