import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { desired as desiredSchema } from '../../protocol/desired.ts';
import type { ObservedInstance } from '../../protocol/observed.ts';
import { protocolVersion } from '../../protocol/version.ts';

/** Agents that have no machine: they say what agents say, as often, over connections of their own, until they are ended. */
export interface SimulatedAgents {
  url: string;
  /** Where enrolment tokens are found, and credentials are kept: one a line. */
  tokens: string;
  credentials: string;
  instances: number;
  /** Written when all have reported what they were told to run. */
  ready: string;
}

const heartbeatMillis = 5_000;
const dispatcher = new Agent({ connections: null, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });

async function main({ url, tokens, credentials, instances, ready }: SimulatedAgents): Promise<void> {
  const known = await enrolAll(url, tokens, credentials);
  let reported = 0;
  await Promise.all(
    known.map(async (credential, index) => {
      // Real ones do not start in the same moment either.
      await pause((index / known.length) * heartbeatMillis);
      await live(url, credential, instances, () => {
        reported += 1;
        if (reported === known.length) writeFileSync(ready, '');
      });
    }),
  );
}

async function enrolAll(url: string, tokens: string, credentials: string): Promise<string[]> {
  const kept = lines(credentials);
  if (kept.length > 0) return kept;
  const made: string[] = [];
  for (const token of lines(tokens)) {
    const credential = randomBytes(32).toString('base64url');
    const credentialHash = createHash('sha256').update(credential).digest('hex');
    // Machines have addresses of their own, and so many may enrol a minute from one.
    const from = machineOf(Math.floor(made.length / 50));
    await ask(
      url,
      'POST',
      'enrol',
      undefined,
      {
        token,
        credentialHash,
        protocol: protocolVersion,
        version: 'bench',
        hostname: `machine-${made.length}`,
      },
      from,
    );
    made.push(credential);
  }
  writeFileSync(credentials, made.join('\n'), { mode: 0o600 });
  return made;
}

interface Speaking {
  authorization: string;
  'x-ballast-incarnation'?: string;
}

async function live(url: string, credential: string, instances: number, onReported: () => void): Promise<void> {
  const hello = await ask(url, 'POST', 'hello', { authorization: `Bearer ${credential}` }, helloOf());
  const speaking: Speaking = {
    authorization: `Bearer ${credential}`,
    'x-ballast-incarnation': String((hello as { incarnation: number }).incarnation),
  };
  void beat(url, speaking);
  let number = 0;
  for (let since = 0; ; ) {
    const work = (await ask(url, 'GET', `work?since=${since}&wait=25`, speaking)) as { desired?: unknown };
    if (work.desired === undefined) continue;
    const wanted = desiredSchema.parse(work.desired);
    since = wanted.revision;
    number += 1;
    await ask(url, 'POST', 'report', speaking, {
      number,
      full: number === 1,
      appliedRevision: wanted.revision,
      slices: wanted.slices.map(({ key, revision, workload }) => ({
        key,
        appliedRevision: revision,
        instances: Array.from({ length: instances }, (_, index) => instance(index, workload.release)),
      })),
    });
    if (number === 1) onReported();
  }
}

async function beat(url: string, speaking: Speaking): Promise<never> {
  for (;;) {
    await ask(url, 'POST', 'heartbeat', speaking, { running: [] });
    await pause(heartbeatMillis);
  }
}

const machines = new Map<number, Agent>();
function machineOf(number: number): Agent {
  const known = machines.get(number) ?? new Agent({ localAddress: `127.0.0.${number + 2}` });
  machines.set(number, known);
  return known;
}

/** Asked again after a second for as long as nobody answers, as real agents do. */
async function ask(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  headers: Speaking | undefined,
  body?: object,
  from = dispatcher,
) {
  for (;;) {
    try {
      const answer = await request(`${url}/agent/v1/${path}`, {
        method,
        dispatcher: from,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (answer.statusCode < 300) return text === '' ? {} : JSON.parse(text);
      if (answer.statusCode < 500) throw new Refused(`${method} ${path}: ${answer.statusCode} ${text}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    await pause(1_000);
  }
}

class Refused extends Error {}

function helloOf(): object {
  return {
    protocol: protocolVersion,
    version: 'bench',
    image: 'ballast-agent:bench-000000000000',
    journalId: randomUUID(),
    journalled: [],
    facts: {
      driver: 'process',
      runtimeVersion: 'bench',
      platform: { os: 'linux', arch: 'x64' },
      nodes: [{ name: 'machine', ready: true, server: true, cpuMilli: 2_000, memoryBytes: 1e9 }],
      holds: {},
      ingress: { port: 8089, addresses: [] },
    },
  };
}

function instance(index: number, release: string): ObservedInstance {
  return {
    id: `web-${String(index).padStart(8, '0')}`,
    process: 'web',
    release,
    node: 'machine',
    state: 'ready',
    run: 1,
    startedAt: new Date().toISOString(),
    memoryBytes: 50_000_000,
  };
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

await main(JSON.parse(process.argv[2] ?? '{}'));
