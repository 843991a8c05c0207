/**
 * Lets the event loop go round `count` times, so that everything that is ready to run has run. No clock is involved: code that
 * waits for nothing but promises and events gets as far as it can, on a slow machine as on a quick one.
 */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
