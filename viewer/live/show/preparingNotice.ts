import { merge, type Observable, switchMap, take, takeUntil, timer } from "rxjs";
import type { Messages } from "../state/messages.ts";

/** A first picture that takes no longer than this needs no message, ms. */
export const SOON_MS = 1000;

/**
 * Shows a message while the first picture is made: a slow GPU compiles its programs for seconds, and a busy CPU takes as long, while the
 * page shows nothing else.
 */
export function showPreparing(
  messages: Pick<Messages, "show" | "clear">,
  { frame$, shown$, refused$ }: Readonly<Record<"frame$" | "shown$" | "refused$", Observable<unknown>>>,
  onGpu: boolean,
): void {
  const text = onGpu ? "Compiling shaders…" : "Computing the first picture…";
  const over$ = merge(shown$, refused$).pipe(take(1));
  frame$
    .pipe(
      take(1),
      switchMap(() => timer(SOON_MS)),
      takeUntil(over$),
    )
    .subscribe(() => messages.show("busy", "preparing", text));
  over$.subscribe(() => messages.clear("preparing"));
}
