import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { SourceError } from "../../core/source.ts";
import { noteRead } from "./progress.ts";
import { type Ranges, readRange, STALL_SECONDS, silent } from "./ranges.ts";

/** The contents of a bucket under a prefix. */
export interface Listed {
  readonly address: string;
  /** The name behind the prefix. */
  readonly name: string;
  readonly size: number;
  readonly stamp: string;
}

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

let client: Promise<{ readonly sdk: typeof import("@aws-sdk/client-s3"); readonly s3: S3Client }> | undefined;

/** Loads the optional package and makes a client, once. Keys, region and endpoint come from the environment. */
export function s3Client() {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  client ??= import("@aws-sdk/client-s3").then(
    (sdk) => ({
      sdk,
      s3: new sdk.S3Client({ forcePathStyle: (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined }),
    }),
    (error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
      throw new SourceError("s3:// needs the package @aws-sdk/client-s3: npm install @aws-sdk/client-s3");
    },
  );
  return client;
}

/** The bucket and key of a file's address. */
export function objectAt(address: string): ObjectName {
  const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.*)$/i.exec(address) ?? [];
  if (Bucket === undefined || Key === undefined)
    throw new SourceError(`${address}: an address of S3 is s3://bucket/key`);
  return { Bucket, Key };
}

/** A file in a bucket, read by ranges. */
export async function s3Ranges(address: string, stallSeconds = STALL_SECONDS): Promise<Ranges> {
  const { sdk, s3 } = await s3Client();
  const place = objectAt(address);
  const within = <T>(send: (abortSignal: AbortSignal) => Promise<T>) => answeredWithin(address, stallSeconds, send);
  const head = await within((abortSignal) => s3.send(new sdk.HeadObjectCommand(place), { abortSignal }));
  const { ContentLength: size = 0, ETag = "" } = head;
  return {
    name: address,
    size,
    stamp: `${size} ${ETag}`,
    async read(start, end) {
      const open = async (from: number) => {
        const part = { ...place, Range: `bytes=${from}-${end - 1}`, ...(ETag !== "" && { IfMatch: ETag }) };
        const answer = await within((abortSignal) => s3.send(new sdk.GetObjectCommand(part), { abortSignal }));
        const body = answer.Body as Readable;
        if (answer.ContentRange === `bytes ${from}-${end - 1}/${size}`) return body;
        body.destroy();
        throw new SourceError(`${address}: it was changed while it was read; open it again`);
      };
      return readRange(address, [start, end], open, stallSeconds);
    },
  };
}

/** Sends a request. Throws a `SourceError` where the head of the answer does not come within `seconds`. */
async function answeredWithin<T>(
  address: string,
  seconds: number,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), 1000 * seconds);
  try {
    return await explained(address, send(late.signal));
  } catch (error) {
    throw late.signal.aborted ? silent(address, seconds) : error;
  } finally {
    clearTimeout(timer);
    noteRead(0);
  }
}

/** Lists the files under a prefix, `s3://bucket/prefix/`, at least `most` of them if there are as many. */
export async function listS3(prefix: string, most = Infinity): Promise<Listed[]> {
  const { sdk, s3 } = await s3Client();
  const { Bucket, Key } = objectAt(prefix);
  const listed: Listed[] = [];
  const pages = sdk.paginateListObjectsV2(
    { client: s3 },
    { Bucket, Prefix: Key, ...(most < 1000 && { MaxKeys: most }) },
  );
  const all = (async () => {
    for await (const { Contents = [] } of pages) {
      for (const { Key: key = "", Size: size = 0, ETag = "" } of Contents)
        listed.push({ address: `s3://${Bucket}/${key}`, name: key.slice(Key.length), size, stamp: `${size} ${ETag}` });
      if (listed.length >= most) return;
    }
  })();
  await explained(prefix, all);
  return listed;
}

/** Turns the errors of a server into sentences for the user. */
export async function explained<T>(address: string, work: Promise<T>, done: "read" | "written" = "read"): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { httpStatusCode: status } = (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {};
    if (status === 412) throw new SourceError(`${address}: it was changed while it was read; open it again`);
    if (status === 404)
      throw new SourceError(
        `${address}: there is no such ${done === "written" || error.name === "NoSuchBucket" ? "bucket" : "file in this bucket"}; check the address`,
      );
    if (status === 403)
      throw new SourceError(`${address}: it must not be ${done} with these keys; check those in the environment`);
    throw new SourceError(`${address}: it cannot be ${done}: ${error.message || error.name}`);
  }
}
