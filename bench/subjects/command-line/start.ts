import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { keptClient } from '../../../cli/client/kept-client.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { openGround } from '../../ground/ground.ts';
import { bearer, seedTeams } from '../../ground/seed.ts';
import { startApi } from '../../ground/servers.ts';

const asked = 'a list by the command line';
const mute = 'the same without a control plane';
const rounds = 20;

/** What each command of a CI job costs before it does anything. */
export const commandLine: Benchmark = {
  name: 'command-line',
  what: 'a command of the command line that is installed alone, against a script of ten lines that sends the same request',
  rows: [
    { name: asked, unit: 'ms', better: 'less', most: 250, leastRatio: 0.3 },
    { name: mute, unit: 'ms', better: 'less', most: 150, leastRatio: 0.3 },
  ],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token: secret } = await seedTeams(ground.database);
  const target = { path: `/api/v1/organizations/${organizationId}`, headers: bearer(secret) };
  const api = opening.use(await startApi(ground, target));
  const { script } = await keptClient(ground.file('cache'), api.url);
  const [subject, reference] = [ground.file('ballast.mjs'), ground.file('bare.mjs')];
  await writeFile(subject, script);
  await writeFile(reference, bare);
  const opened = opening.move();

  const both = async (file: string): Promise<Figures> => ({
    [asked]: await medianMillis([file, 'project', 'list'], { BALLAST_URL: api.url, BALLAST_TOKEN: secret }),
    [mute]: await medianMillis([file, '--version'], {}),
  });
  return {
    reference: () => both(reference),
    subject: () => both(subject),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const bare = `const [first] = process.argv.slice(2);
if (first === '--version') console.log('bare');
else {
  const { BALLAST_URL, BALLAST_TOKEN } = process.env;
  const headers = { authorization: 'Bearer ' + BALLAST_TOKEN };
  const answer = await fetch(BALLAST_URL + '/api/v1/projects?limit=200', { headers });
  for (const { slug, name } of (await answer.json()).items) console.log(slug, name);
}
`;

async function medianMillis(words: string[], env: Record<string, string>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await promisify(execFile)(process.execPath, words, { env });
    took.push(performance.now() - begun);
  }
  return took.toSorted((one, other) => one - other)[rounds / 2] ?? Number.NaN;
}
