import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { explained, type Listed, listS3, objectAt, s3Client } from "../../../sources/files/s3.ts";

/** A larger file goes in parts of at least this many bytes, of which S3 takes at most `MOST_PARTS`. */
const PART = 1 << 24;
const MOST_PARTS = 10_000;

/** The files below a folder's address. */
export const listBelow = (folder: string, most?: number): Promise<Listed[]> => listS3(`${folder}/`, most);

/** The text of a file; `undefined` where there is none. */
export async function getText(address: string): Promise<string | undefined> {
  const { sdk, s3 } = await s3Client();
  const got = s3.send(new sdk.GetObjectCommand(objectAt(address))).catch((error: unknown) => {
    if (error instanceof sdk.S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
    throw error;
  });
  return explained(
    address,
    got.then((answer) => answer?.Body?.transformToString()),
  );
}

/** Writes a file: it is there whole, or as it was before. */
export async function put(address: string, Body: Uint8Array): Promise<void> {
  const { sdk, s3 } = await s3Client();
  await explained(address, s3.send(new sdk.PutObjectCommand({ ...objectAt(address), Body })), "written");
}

/** Writes a file of this machine, a large one in parts. */
async function putFile(address: string, path: string): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const step = Math.max(PART, Math.ceil(size / MOST_PARTS));
    const part = async (from: number) => {
      const bytes = Buffer.alloc(Math.min(step, size - from));
      for (let got = 0; got < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, got, bytes.length - got, from + got);
        if (bytesRead === 0)
          throw new Error(`${path} became shorter while it was sent to ${address}; run the command again`);
        got += bytesRead;
      }
      return bytes;
    };
    if (size <= step) return await put(address, await part(0));
    const { sdk, s3 } = await s3Client();
    const object = objectAt(address);
    const { UploadId } = await explained(address, s3.send(new sdk.CreateMultipartUploadCommand(object)), "written");
    try {
      const Parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
      for (let from = 0; from < size; from += step) {
        const which = { ...object, UploadId, PartNumber: Parts.length + 1 };
        const sent = s3.send(new sdk.UploadPartCommand({ ...which, Body: await part(from) }));
        Parts.push({ PartNumber: which.PartNumber, ETag: (await explained(address, sent, "written")).ETag });
      }
      const whole = { ...object, UploadId, MultipartUpload: { Parts } };
      await explained(address, s3.send(new sdk.CompleteMultipartUploadCommand(whole)), "written");
    } catch (error) {
      await s3.send(new sdk.AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/**
 * Puts the files `names` of a folder of this machine in the place of those below an address, and removes the folder. `last` names the file
 * that makes the others a result. It goes first and comes last, so that nobody takes a part for the whole.
 */
export async function putFolder(
  folder: string,
  names: readonly string[],
  address: string,
  last: string,
): Promise<void> {
  const { sdk, s3 } = await s3Client();
  const remove = async (name: string) => {
    const path = `${address}/${name}`;
    await explained(path, s3.send(new sdk.DeleteObjectCommand(objectAt(path))), "written");
  };
  const isLast = (name: string) => name === last;
  const before = (await listBelow(address)).map(({ name }) => name);
  for (const name of before.filter(isLast)) await remove(name);
  for (const name of before.filter((one) => !isLast(one) && !names.includes(one))) await remove(name);
  for (const name of names.filter((one) => !isLast(one))) await putFile(`${address}/${name}`, join(folder, name));
  for (const name of names.filter(isLast)) await putFile(`${address}/${name}`, join(folder, name));
  await rm(folder, { recursive: true });
}
