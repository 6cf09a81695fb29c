import { Agent, request } from 'undici';
import { answerReports } from '../../engine/clients.ts';

export interface Pages {
  url: string;
  paths: readonly string[];
  /** Of several people, who ask in turn. */
  headers: readonly Record<string, string>[];
  perSecond: number;
}

/** In milliseconds, since the last report: what half and 99 of 100 requests stay below. */
export interface PageTimes {
  p50: number;
  p99: number;
  /** The p99 of each path. */
  byPath: Record<string, number>;
  failures: string[];
}

/**
 * Asks for pages in turn, at a steady rate, whether the ones before are answered or not: who waits for an answer before the
 * next request sees little of a server that stands still.
 */
async function main({ url, paths, headers, perSecond }: Pages): Promise<void> {
  const dispatcher = new Agent({ connections: 64 });
  let times = new Map<string, number[]>();
  let failures: string[] = [];
  const ask = async (number: number, due: number): Promise<void> => {
    const path = paths[number % paths.length] ?? '';
    const person = headers[Math.floor(number / paths.length) % headers.length] ?? {};
    const { statusCode, body } = await request(`${url}${path}`, { headers: person, dispatcher });
    await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    const own = times.get(path) ?? [];
    own.push(performance.now() - due);
    times.set(path, own);
  };
  answerReports((): PageTimes => {
    const all = [...times.values()].flat();
    const byPath = Object.fromEntries([...times].map(([path, own]) => [path, percentile(own, 0.99)]));
    const report = { p50: percentile(all, 0.5), p99: percentile(all, 0.99), byPath, failures };
    times = new Map();
    failures = [];
    return report;
  });
  const began = performance.now();
  for (let number = 0; ; number += 1) {
    const due = began + (number * 1000) / perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    ask(number, due).catch((error: unknown) => void failures.push(String(error)));
  }
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

await main(JSON.parse(process.argv[2] ?? '{}'));
