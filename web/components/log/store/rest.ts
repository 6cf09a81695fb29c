/** A pause that ends early when nobody waits any more. */
export function rest(milliseconds: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      over.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    over.addEventListener('abort', done);
    if (over.aborted) done();
  });
}
