import { Agent, request } from 'undici';
import type { TrafficOrder } from './steady-traffic.ts';

/**
 * Requests at a steady rate through an ingress until it is told to end. Whatever is not answered with 200 is a failure, and so
 * is what is answered too late.
 */
async function main({ url, host, path, perSecond }: TrafficOrder): Promise<void> {
  const dispatcher = new Agent({ connections: 64, pipelining: 1 });
  const failures: string[] = [];
  /** In the order in which they answered first. */
  const versions: string[] = [];
  let stale = 0;
  let sent = 0;
  let slowest = 0;
  let ending = false;
  const open = new Set<Promise<void>>();
  process.on('SIGTERM', () => {
    ending = true;
  });
  const one = async (): Promise<void> => {
    const since = performance.now();
    const newest = versions.length - 1;
    try {
      const { statusCode, body } = await request(`${url}${path}`, {
        headers: { host },
        dispatcher,
        headersTimeout: 60_000,
        bodyTimeout: 60_000,
      });
      const text = await body.text();
      if (statusCode !== 200) failures.push(`${statusCode} ${text.slice(0, 200)}`);
      else if (text.startsWith('{')) {
        const { version } = JSON.parse(text);
        if (!versions.includes(version)) versions.push(version);
        if (versions.indexOf(version) < newest) stale += 1;
      }
    } catch (error) {
      failures.push(String(error));
    }
    slowest = Math.max(slowest, performance.now() - since);
  };
  const began = performance.now();
  while (!ending) {
    const due = began + (sent * 1000) / perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    sent += 1;
    const asked = one().finally(() => open.delete(asked));
    open.add(asked);
    if (sent === 1) process.stdout.write('begun\n');
  }
  await Promise.all(open);
  await dispatcher.close();
  process.stdout.write(`${JSON.stringify({ sent, failures, slowest, versions, stale })}\n`);
}

await main(JSON.parse(process.argv[2] ?? '{}'));
