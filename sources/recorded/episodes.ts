import { episodesIn } from "./formats/lerobot/frames.ts";
import { openGiven } from "./given.ts";

/** An episode of a data set: what `topic` names it by, and its frames. */
export interface EpisodeFacts {
  readonly topic: string;
  readonly frames: number;
}

/** The episodes in a folder at a path, on the calling thread; none where it is no data set or has only one. Throws a `SourceError`. */
export async function episodesHere(path: string): Promise<readonly EpisodeFacts[]> {
  const files = await openGiven({ kind: "path", path });
  try {
    return "list" in files ? await episodesIn(files) : [];
  } finally {
    await files.close();
  }
}
