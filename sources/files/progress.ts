/** Is called for bytes that were read. A thread reads one recording, so that one listener suffices. */
let listener: (bytes: number) => void = () => {};

/** Has `heard` called for every read of this thread with the number of bytes. */
export function onRead(heard: (bytes: number) => void): void {
  listener = heard;
}

/** Reports a read of a recording's bytes, or of the names in its folder. The watch over a reading thread counts it as progress. */
export const noteRead = (bytes: number): void => listener(bytes);
