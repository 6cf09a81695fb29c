import { Agent, request } from 'undici';

const warmUps = 20;
const asked = 100;

/** What half of the requests stay below, one after the other on one connection. */
export async function medianMillis(url: string, headers: Record<string, string>): Promise<number> {
  const dispatcher = new Agent({ connections: 1 });
  const times: number[] = [];
  for (let number = 0; number < warmUps + asked; number += 1) {
    const began = performance.now();
    const { statusCode, body } = await request(url, { headers, dispatcher });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text}`);
    if (number >= warmUps) times.push(performance.now() - began);
  }
  await dispatcher.close();
  return times.toSorted((a, b) => a - b)[asked / 2] ?? Number.NaN;
}
