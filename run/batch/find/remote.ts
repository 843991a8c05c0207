import { Address } from "../../../core/address.ts";
import { SourceError } from "../../../core/source.ts";
import { rangesAt } from "../../../sources/files/remote.ts";
import { isRecordingFile } from "../../../sources/recorded/find.ts";
import { describe } from "../../report/failure.ts";
import type { Finding, FoundRecording } from "./found.ts";
import { keyOf } from "./keys.ts";

/** How many addresses are asked at once. */
const AT_ONCE = 32;

/**
 * The recordings at addresses. Each address is a file; an S3 prefix that ends with "/" stands for the files below it whose names have a
 * recording's extension. An address that does not answer (for `stallSeconds`, 15), or where nothing lies, is a recording with a fault.
 */
export async function findRemote(addresses: readonly string[], stallSeconds?: number): Promise<Finding> {
  const results: Finding[] = [];
  const queue = addresses.entries();
  const ask = async () => {
    for (const [i, address] of queue) results[i] = await lookAt(address, stallSeconds);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, addresses.length) }, ask));
  return { found: results.flatMap(({ found }) => found), passed: results.reduce((sum, { passed }) => sum + passed, 0) };
}

async function lookAt(address: string, stallSeconds?: number): Promise<Finding> {
  try {
    return await filesAt(address, stallSeconds);
  } catch (error) {
    const missing = { key: keyOf(address), input: address, bytes: 0, files: 0, stamp: "" };
    return { found: [{ ...missing, fault: describe(error) }], passed: 0 };
  }
}

async function filesAt(address: string, stallSeconds?: number): Promise<Finding> {
  if (!/^s3:.*\/$/i.test(address)) {
    const { size, stamp } = await rangesAt(new Address(address), stallSeconds);
    return { found: [{ key: keyOf(address), input: address, bytes: size, files: 1, stamp }], passed: 0 };
  }
  const { listS3 } = await import("../../../sources/files/s3.ts");
  const listed = (await listS3(address)).filter(({ name }) => name !== "");
  const found: FoundRecording[] = [];
  for (const { address: input, size, stamp } of listed) {
    // The name alone decides: looking into each file would cost a request.
    if (await isRecordingFile(input, size, new Uint8Array()))
      found.push({ key: keyOf(input), input, bytes: size, files: 1, stamp });
  }
  if (listed.length === 0)
    throw new SourceError(`${new Address(address)}: nothing lies there; check the bucket and the prefix`);
  return { found, passed: listed.length - found.length };
}
