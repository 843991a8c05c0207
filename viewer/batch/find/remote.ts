import { Address, shownAddress } from "../../../sources/core/address.ts";
import { rangesAt } from "../../../sources/recorded/files/remote.ts";
import { isRecordingFile } from "../../../sources/recorded/recognise.ts";
import { UsageError } from "../../report/failure.ts";
import type { Finding, Found } from "./found.ts";

/**
 * The recordings at addresses. Each address is a file; an S3 prefix that ends with "/" stands for the files below it whose names have a
 * recording's extension. Throws a `SourceError` for a file that does not exist, and a `UsageError` for a prefix with nothing below it.
 */
export async function findRemote(addresses: readonly string[]): Promise<Finding> {
  const found: Found[] = [];
  let passed = 0;
  for (const address of addresses) {
    if (!/^s3:.*\/$/i.test(address)) {
      const { size, stamp } = await rangesAt(new Address(address));
      found.push({ key: keyOf(address), input: address, bytes: size, files: 1, stamp });
      continue;
    }
    const { listS3 } = await import("../../../sources/recorded/files/s3.ts");
    const listed = (await listS3(address)).filter(({ name }) => name !== "");
    if (listed.length === 0) throw new UsageError(`${address}: nothing lies there; check the bucket and the prefix`);
    for (const { address: input, size, stamp } of listed) {
      // The name alone decides: looking into each file would cost a request.
      if (await isRecordingFile(input, size, new Uint8Array()))
        found.push({ key: keyOf(input), input, bytes: size, files: 1, stamp });
      else passed++;
    }
  }
  return { found, passed };
}

/** The address as a path below `remote/`, without what gives access. */
function keyOf(address: string): string {
  const parts = decoded(shownAddress(address).replace(/^\w+:\/\//, "")).split("/");
  return ["remote", ...parts.filter((part) => part !== "" && part !== "." && part !== "..")].join("/");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
