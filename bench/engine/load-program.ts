import autocannon from 'autocannon';
import type { Load } from './load.ts';

/** Puts a load on a server and prints how many requests a second it answered. Anything but 200 is a failure. */
async function main(load: Load): Promise<void> {
  await shoot(load, load.warmUpSeconds);
  const { requests, duration } = await shoot(load, load.seconds);
  process.stdout.write(String(requests.total / duration));
}

async function shoot({ url, requests, connections }: Load, seconds: number): Promise<autocannon.Result> {
  const result = await autocannon({ url, requests, connections, duration: seconds });
  const { non2xx, errors, timeouts } = result;
  if (non2xx + errors + timeouts > 0 || result.requests.total === 0) {
    throw new Error(`${url}: ${non2xx} refused, ${errors} failed, ${timeouts} timed out of ${result.requests.total}.`);
  }
  return result;
}

await main(JSON.parse(process.argv[2] ?? '{}'));
