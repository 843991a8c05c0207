/** Pretends WebCodecs' encoder, with a frame that takes a while. */
export class FakeVideoEncoder extends EventTarget {
  static isConfigSupported = async ({ codec }: VideoEncoderConfig) => ({ supported: codec === "vp8" });
  encodeQueueSize = 0;
  state = "unconfigured";
  constructor(readonly init: { output(chunk: object): void }) {
    super();
  }
  configure() {
    this.state = "configured";
  }
  encode({ timestamp }: FakeVideoFrame, { keyFrame }: { keyFrame: boolean }) {
    this.encodeQueueSize++;
    setTimeout(() => {
      this.encodeQueueSize--;
      this.init.output({ timestamp, byteLength: 9, type: keyFrame ? "key" : "delta", copyTo() {} });
      this.dispatchEvent(new Event("dequeue"));
    }, 1);
  }
  async flush() {
    while (this.encodeQueueSize > 0) await new Promise((resolve) => this.addEventListener("dequeue", resolve));
  }
  close() {
    this.state = "closed";
  }
}

/** Pretends WebCodecs' frame. */
export class FakeVideoFrame {
  readonly timestamp: number;
  constructor(_: unknown, { timestamp }: { timestamp: number }) {
    this.timestamp = timestamp;
  }
  close() {}
}
