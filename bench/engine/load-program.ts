import autocannon from 'autocannon';
import type { Answered, Load } from './load.ts';

/** Puts a load on a server and prints how many requests a second it answered, and how fast. Anything but 200 is a failure. */
async function main(load: Load): Promise<void> {
  await shoot(load, load.warmUpSeconds);
  const { requests, duration, latency } = await shoot(load, load.seconds);
  const answered: Answered = { perSecond: requests.total / duration, p99: latency.p99 };
  process.stdout.write(JSON.stringify(answered));
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
