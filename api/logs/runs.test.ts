import { afterEach, expect, test } from 'vitest';
import type { LogBatch, LogReader, LogRun } from '../../protocol/logs.ts';
import { logChunk, observedSlice, PeerAgent } from '../../test/agents/peer-agent.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { type ReadStream, readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';

const opened: ReadStream[] = [];

const { api, ours } = await ownApi();
const { body } = await ours.tokens.admin.post('/clusters', { name: 'Here' });
const { cluster, token } = body as { cluster: { id: string }; token: string };
const agent = new PeerAgent(api.url);
await agent.join(token, { protocol: { major: 1, minor: 1 } });
const instance = { id: 'web-1', process: 'web', release: 'one', node: 'one', state: 'waiting' as const, run: 2 };
await agent.report([observedSlice('workload/app', { instances: [instance] })]);
const place = `/api/v1/clusters/${cluster.id}/instances/web-1`;
afterEach(() => {
  for (const stream of opened.splice(0)) stream.stop();
});

const known = new Set<string>();
async function reader(): Promise<LogReader> {
  const found = await until('somebody reads', async () => (await agent.readers()).find(({ id }) => !known.has(id)));
  known.add(found.id);
  return found;
}
async function stream(query: string): Promise<ReadStream> {
  const read = await readStream(api, `${place}/logs/stream?${query}`, ours.tokens.viewer);
  opened.push(read);
  return read;
}
const at = (stdout: number, stderr = 0) => ({ stdout, stderr });
function batch(position: number, text: string, more: Partial<LogBatch> = {}): LogBatch {
  const chunk = logChunk('stdout', position, text, 1_000);
  return { from: at(position), to: at(chunk.next), chunks: [chunk], ...more };
}
/** The events of a stream, in order: lines with their runs, and borders. */
function told(read: ReadStream): string[] {
  return [...read.text().matchAll(/^event: (log|run)\n(?:id: .+\n)?data: (.+)$/gm)].map(([, event, data = '']) => {
    const { text, run, exit } = JSON.parse(data) as { text: string; run: number; exit?: { code: number } };
    if (event === 'log') return `${run ?? '?'}: ${text}`;
    return exit === undefined ? `run ${run} began` : `run ${run} exited with ${exit.code}`;
  });
}
const first: LogRun = { run: 1, from: at(0), startedAt: 100, exit: { at: 2_400, code: 1 }, to: at(8) };
const second: LogRun = { run: 2, from: at(8), startedAt: 3_000 };

test('borders stand between the lines of two runs, wherever the agent told them', async () => {
  const read = await stream('follow=true&tail=5');
  const { id } = await reader();
  const third: LogRun = { run: 3, from: at(16), startedAt: 5_000 };
  await agent.log(id, batch(4, 'b 1\na 2\n', { runs: [first, second] }));
  // Its end comes with lines of the run behind it.
  const ended: LogRun = { ...second, exit: { at: 4_000, code: 137, signal: 'SIGKILL' }, to: at(16) };
  await agent.log(id, batch(12, 'b 2\na 3\n', { runs: [ended, third] }));
  await agent.log(id, {
    ...{ from: at(20), to: at(20), chunks: [] },
    runs: [{ ...third, exit: { at: 9_000, code: 1 }, to: at(20) }],
  });
  await until('the last end', async () => told(read).at(-1) === 'run 3 exited with 1');
  expect(told(read)).toEqual([
    ...['run 1 began', '1: b 1', 'run 1 exited with 1', 'run 2 began', '2: a 2', '2: b 2'],
    ...['run 2 exited with 137', 'run 3 began', '3: a 3', 'run 3 exited with 1'],
  ]);
  expect(read.events('run')[1]).toEqual({
    ...{ run: 1, from: '0.0', to: '8.0', startedAt: '1970-01-01T00:00:00.100Z' },
    exit: { at: '1970-01-01T00:00:02.400Z', code: 1 },
  });
});

test('a log is read backwards from the id of an event, by agents that know how', async () => {
  const read = await stream('tail=2&before=8.0&follow=true');
  const { id, ...wanted } = await reader();
  expect(wanted).toEqual({ instance: 'web-1', tail: 2, to: at(8), follow: false });
  await agent.log(id, batch(0, 'a 1\nb 1\n', { runs: [first, second], end: {} }));
  await until('it ends', async () => read.ended());
  expect(told(read)).toEqual(['run 1 began', '1: a 1', '1: b 1', 'run 1 exited with 1', 'run 2 began']);

  const refused = await stream('tail=2&before=8.0');
  const old = await reader();
  // The agent sends the end of the log, which nobody has asked for.
  await agent.log(old.id, batch(400, 'newest\n', { end: {} }));
  await until('it ends', async () => refused.ended());
  expect(refused.events('log')).toEqual([]);
  expect(refused.events('end')).toMatchObject([{ message: expect.stringMatching(/too old to read a log backwards/) }]);
});

test('an agent of before tells no runs: its lines come without', async () => {
  const read = await stream('tail=2');
  const { id } = await reader();
  await agent.log(id, batch(0, 'a\nb\n', { end: {} }));
  await until('it ends', async () => read.ended());
  expect(told(read)).toEqual(['?: a', '?: b']);
});

test('the runs of an instance are listed with their exits, the newest first', async () => {
  const listing = (query: string) => api.call('GET', `${place}/runs?${query}`, { as: ours.tokens.viewer });
  const serve = async () => {
    const { id } = await reader();
    await agent.log(id, { from: at(20), to: at(20), chunks: [], runs: [first, second], end: {} });
  };
  const [one] = await Promise.all([listing('limit=1'), serve()]);
  expect(one.body.items).toEqual([{ run: 2, from: '8.0', startedAt: '1970-01-01T00:00:03.000Z' }]);
  const [two] = await Promise.all([listing(`limit=1&cursor=${one.body.nextCursor}`), serve()]);
  expect(two.body.items).toMatchObject([{ run: 1, exit: { code: 1 }, to: '8.0' }]);
  expect(two.body).not.toHaveProperty('nextCursor');
});

test('logs of several instances come in one stream, each with its name and its own place', async () => {
  const cluster = place.split('/instances/')[0];
  const path = `${cluster}/logs/stream?instances=web-1,web-9&follow=true&after=web-1:8.0`;
  const read = await readStream(api, path, ours.tokens.viewer);
  opened.push(read);
  const { id, ...wanted } = await reader();
  expect(wanted).toEqual({ instance: 'web-1', from: at(8), follow: true });
  await agent.log(id, batch(8, 'a\n', { runs: [second] }));
  await until('a line and an end', async () => read.events('log').length === 1 && read.events('end').length === 1);
  expect(read.events('log')).toMatchObject([{ instance: 'web-1', text: 'a', run: 2 }]);
  expect(read.events('end')).toMatchObject([{ instance: 'web-9', message: expect.stringMatching(/no such instance/) }]);
  expect(read.text()).toMatch(/^id: web-1:10\.0$/m);
  const wrong = await api.call('GET', `${cluster}/logs/stream?instances=a,,b`, { as: ours.tokens.viewer });
  expect([wrong.status, wrong.body.errors]).toMatchObject([422, [{ location: 'query.instances' }]]);
});
