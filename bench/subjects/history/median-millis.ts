import { Agent, request } from 'undici';

const warmUps = 20;
const times = 100;

export interface Asked {
  url: string;
  headers: Record<string, string>;
}

/** For each what half of its requests stay below: asked in turn, one request at a time, each on a connection of its own. */
export async function mediansMillis(asked: readonly Asked[]): Promise<number[]> {
  const all = asked.map((one) => ({ ...one, dispatcher: new Agent({ connections: 1 }), took: [] as number[] }));
  for (let number = 0; number < warmUps + times; number += 1) {
    // The other one first each time: whoever is asked second finds the caches as the first has left them.
    for (const { url, headers, dispatcher, took } of number % 2 === 0 ? all : all.toReversed()) {
      const began = performance.now();
      const { statusCode, body } = await request(url, { headers, dispatcher });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text}`);
      if (number >= warmUps) took.push(performance.now() - began);
    }
  }
  await Promise.all(all.map(({ dispatcher }) => dispatcher.close()));
  return all.map(({ took }) => took.toSorted((one, other) => one - other)[times / 2] ?? Number.NaN);
}
