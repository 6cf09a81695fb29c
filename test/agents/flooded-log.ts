import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Organization } from '../api/client.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { sampleLayout } from '../images/sample-image.ts';
import { headersOf, type RunningApi, runningApi } from '../installation/running-api.ts';
import { agentHome } from './installed-agent.ts';

const main = join(import.meta.dirname, '..', '..', 'agent', 'main.ts');

export interface FloodedLog {
  api: RunningApi;
  as: Organization['tokens']['viewer'];
  /** Beneath which the instance's log is read. */
  place: string;
  /** The instance begins to write. */
  open(): void;
  /** Kills the agent with all that it has in memory, and starts another. */
  replaceAgent(): Promise<void>;
  close(): Promise<void>;
}

/** An API, an agent and an instance that writes numbered lines: so many a second, for so many seconds. */
export async function floodedLog(seconds: number, linesPerSecond: number): Promise<FloodedLog> {
  const port = await freePort();
  const api = await runningApi({ env: { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` } });
  const ours = await api.organization();
  const home = agentHome();
  chmodSync(home.path, 0o755);
  const admin = (method: string, url: string, body?: unknown) =>
    api.call(method, url, { as: ours.tokens.admin, ...(body === undefined ? {} : { body }) });
  const made = await admin('POST', '/api/v1/clusters', { name: 'Flooded' });
  const { cluster, token } = made.body as { cluster: { id: string }; token: string };
  const tokenFile = join(home.path, 'token');
  writeFileSync(tokenFile, token);
  let agent: ChildProcess;
  const said: string[] = [];
  const startAgent = () => {
    const from = existsSync(tokenFile) ? ['--token-file', tokenFile] : [];
    const options = ['--home', join(home.path, 'agent'), '--url', api.url, ...from, '--driver', 'process'];
    const words = [main, 'agent', 'run', ...options, '--ingress-port', '0'];
    agent = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    agent.stderr?.on('data', (bytes: Buffer) => said.push(String(bytes)));
  };
  startAgent();
  // Waits until somebody follows, so that the first line is among those that are followed.
  const gate = join(home.path, 'open');
  const script = `while [ ! -e ${gate} ]; do sleep 0.1; done; i=0; while [ $i -lt ${seconds} ]; do
    seq -f 'line %.0f of a log that is written faster than most' $((i*${linesPerSecond})) $((i*${linesPerSecond}+${linesPerSecond}-1))
    i=$((i+1)); sleep 1; done; exec sleep 100000`;
  const { layout } = await sampleLayout(join(home.path, 'layout'));
  const path = `/api/v1/clusters/${cluster.id}`;
  const processes = [{ name: 'web', kind: 'worker', command: ['sh', '-c', script] }];
  await until(
    'the workload is taken',
    async () => {
      const put = await admin('PUT', `${path}/workloads/flood`, { image: { layout }, processes });
      return put.status < 300;
    },
    60,
  );
  const instance = await until(
    'the instance runs',
    async () => {
      const { items = [] } = (await admin('GET', `${path}/instances`)).body as {
        items?: { id: string; state: string }[];
      };
      return items.find(({ state }) => state === 'running' || state === 'ready')?.id;
    },
    100,
  );
  return {
    api,
    as: ours.tokens.viewer,
    place: `${path}/instances/${instance}/logs`,
    async replaceAgent() {
      const ended = once(agent, 'exit');
      agent.kill('SIGKILL');
      await ended;
      startAgent();
    },
    close: async () => {
      agent.kill('SIGKILL');
      await home.close();
      await api.close();
    },
    open: () => writeFileSync(gate, ''),
  };
}

/** The numbers of the lines, as somebody reads them who follows the log and continues where a stream was cut. */
export async function followedNumbers(
  { api, as, place, open }: FloodedLog,
  count: number,
  seen: (count: number) => void,
) {
  const numbers: number[] = [];
  // From the beginning: on a busy machine the agent may begin when more is written than a tail has.
  let start = 'after=0.0';
  while (numbers.length < count) {
    const answer = await fetch(`${api.url}${place}/stream?follow=true&${start}`, { headers: headersOf('GET', { as }) });
    open();
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      const found = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = found.pop() ?? '';
      for (const frame of found) {
        if (!frame.startsWith('event: ') || frame.startsWith('event: run\n')) continue;
        if (!frame.startsWith('event: log\n')) throw new Error(`The log of a flood has no such event: ${frame}`);
        start = `after=${/^id: (.+)$/m.exec(frame)?.[1]}`;
        numbers.push(numberOf(JSON.parse(frame.slice(frame.indexOf('data: ') + 6))));
      }
      seen(numbers.length);
      if (numbers.length >= count) break;
    }
  }
  return numbers;
}

/** The same, a page after the other. */
export async function pagedNumbers({ api, as, place }: FloodedLog): Promise<number[]> {
  const numbers: number[] = [];
  let cursor: string | undefined;
  do {
    const { status, text, body } = await api.call(
      'GET',
      `${place}?limit=1000${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      { as },
    );
    if (status !== 200) throw new Error(`A page was refused: ${text}`);
    numbers.push(...(body.items as { text: string }[]).map(numberOf));
    cursor = body.nextCursor as string | undefined;
  } while (cursor !== undefined);
  return numbers;
}

function numberOf({ text }: { text: string }): number {
  return Number(/^line (\d+) of a log/.exec(text)?.[1] ?? Number.NaN);
}
