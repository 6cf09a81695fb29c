const atOnce = 2;
const longestQueue = 40;

let running = 0;
const waiting: (() => void)[] = [];

/** Passwords are checked two at a time: each takes much memory. A request that finds too many waiting is refused. */
export async function takeTurn(refusal: () => Error): Promise<Disposable> {
  if (running < atOnce) running += 1;
  else {
    if (waiting.length >= longestQueue) throw refusal();
    // The turn is handed over directly, so that nobody gets in between.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  return { [Symbol.dispose]: endTurn };
}

function endTurn(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
