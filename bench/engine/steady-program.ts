import { Agent, request } from 'undici';
import type { SteadyLoad } from './steady-load.ts';

/**
 * Sends a request each so many milliseconds, whether the ones before are answered or not: who waits for an answer before
 * the next request sees little of a server that stands still.
 */
async function main({ url, headers, perSecond, seconds }: SteadyLoad): Promise<void> {
  const dispatcher = new Agent({ connections: 64 });
  const latencies: number[] = [];
  const asked: Promise<void>[] = [];
  const began = performance.now();
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const due = began + (number * 1000) / perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    asked.push(
      request(url, { headers, dispatcher }).then(async ({ statusCode, body }) => {
        await body.text();
        if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}.`);
        latencies.push(performance.now() - due);
      }),
    );
  }
  await Promise.all(asked);
  latencies.sort((a, b) => a - b);
  process.stdout.write(String(latencies[Math.floor(latencies.length * 0.99)]));
  await dispatcher.close();
}

await main(JSON.parse(process.argv[2] ?? '{}'));
