/**
 * Resolves in the event loop's next turn. Twins compute on the thread that also has timers, input and Ctrl-C to answer: without
 * this a stream of them would let nobody else in until its end. (A timer would do, but browsers hold those back by 4 ms.)
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
