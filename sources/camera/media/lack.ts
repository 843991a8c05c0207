import { checkArgument, having, OptionError } from "../../../core/check.ts";

/** Facts that decide, before anything is tried, whether a page can have depth from a camera on this computer. */
export interface PageFacts {
  /** Whether the page was loaded by https or from this machine. */
  readonly secure: boolean;
  /** `navigator.userAgent`. */
  readonly userAgent: string;
  /** The operating system, as `navigator.userAgentData.platform` or `navigator.platform` names it. */
  readonly platform: string;
  /** Whether the page has `getUserMedia`, `requestVideoFrameCallback` and `VideoFrame`. */
  readonly capture: boolean;
  /** Whether the page's permissions policy lets it use a camera: the page around a frame may not. */
  readonly allowed: boolean;
  /** Whether the browser has WebGL 2. */
  readonly webgl2: boolean;
}

/** The browsers that hand on all 16 bits, in words. */
const CHROMIUM = "Chrome, Edge or another Chromium on Windows or Linux";

/**
 * Why this page cannot have depth from a camera on this computer, as a sentence; `undefined` where nothing is known to be in the way.
 * Chromium alone passes 16-bit video on, and only its capture on Windows and Linux asks a camera for it (media/capture/video).
 *
 * @example
 * if (mediaLack(pageFacts()) === undefined) button.onclick = async () => openMediaCamera((await findMediaCameras())[0]);
 */
export function mediaLack(facts: PageFacts): string | undefined {
  checkArgument("mediaLack", "the facts", having("what pageFacts gives", "userAgent", "platform"), facts);
  const { secure, userAgent, platform, capture, allowed, webgl2 } = facts;
  if (!secure) return "A camera on this computer needs a page that was loaded by https, or from this computer.";
  if (/mac|iphone|ipad|ipod/i.test(platform))
    return "On Apple’s systems a browser gets no depth from a camera: its driver hands on colour alone.";
  if (/android/i.test(`${platform} ${userAgent}`)) return "On Android a browser gets no depth from a USB camera.";
  if (!/Chrom(e|ium)\//.test(userAgent))
    return `This browser keeps 8 of a depth camera’s 16 bits. For a camera on this computer open this page in ${CHROMIUM}.`;
  if (!capture) return `This browser is too old to read a camera’s frames: open this page in a current ${CHROMIUM}.`;
  if (!allowed) return 'The page around this one does not let it use a camera (allow="camera").';
  if (!webgl2) return "A camera’s 16 bits are read by WebGL 2, which this browser does not have, or has switched off.";
  return undefined;
}

interface Hinted {
  readonly userAgentData?: { readonly platform: string };
}
interface Policed {
  readonly featurePolicy?: { allowsFeature(feature: string): boolean };
}

/** Throws an `OptionError`, headed by the function's name `who`, where there is no page. */
export function checkPage(who: string): void {
  if (typeof document === "undefined") throw new OptionError(`${who}: it needs a page, and runs in none`);
}

/**
 * Looks the facts up for the page that this runs in. Throws an `OptionError` in Node.
 *
 * @example
 * const lack = mediaLack(pageFacts());
 */
export function pageFacts(): PageFacts {
  checkPage("pageFacts");
  const { userAgentData } = navigator as Navigator & Hinted;
  const { featurePolicy } = document as Document & Policed;
  // Outside a secure context a browser leaves `mediaDevices` out.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  return {
    secure: isSecureContext,
    userAgent: navigator.userAgent,
    platform: userAgentData?.platform ?? navigator.platform,
    capture:
      devices?.getUserMedia !== undefined &&
      "requestVideoFrameCallback" in HTMLVideoElement.prototype &&
      "VideoFrame" in globalThis,
    allowed: featurePolicy?.allowsFeature("camera") ?? true,
    webgl2: typeof WebGL2RenderingContext !== "undefined" && hasWebgl2(),
  };
}

function hasWebgl2(): boolean {
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return gl !== null;
}
