/**
 * Resolves in the event loop's next turn. Twins compute on the thread that also serves timers, input and Ctrl-C; a stream of frames would
 * block those until its end without this. (Browsers delay repeated timers by 4 ms, so a timer would be slow.)
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") return void setImmediate(resolve);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
