import { expect, test } from 'vitest';
import '../subjects.ts';
import { createPlane } from '../control-plane/plane.ts';
import { touchedBy, touchesSession } from './affected.ts';
import { type Frame, frames } from './event-stream.ts';

async function read(bytes: Uint8Array, size: number): Promise<Frame[]> {
  const found: Frame[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
  for await (const frame of frames(body)) found.push(frame);
  return found;
}

test('a stream is read alike wherever it is cut, and half a frame is none', async () => {
  const bytes = new TextEncoder().encode(
    ': open\n\nevent: change\nid: 7\ndata: {"kind":"team","id":"Zoë ✓"}\n\n: heartbeat\n\nevent: resync\ndata: {}\n\nevent: cha',
  );
  const whole = await read(bytes, bytes.length);
  expect(whole).toEqual([
    { comment: 'open', data: '' },
    { event: 'change', id: '7', data: '{"kind":"team","id":"Zoë ✓"}' },
    { comment: 'heartbeat', data: '' },
    { event: 'resync', data: '{}' },
  ]);
  for (const size of [1, 2, 3, 7]) expect(await read(bytes, size)).toEqual(whole);
});

test('whoever stops reading ends the stream', async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const _ of frames(body)) break;
  expect(cancelled).toBe(true);
});

test('hints say which answers to ask for again, each once, and a kind that is not known says nothing', () => {
  const { trpc } = createPlane('organization');
  const hint = (kind: string) => ({ kind, id: '1' });
  const touched = touchedBy(trpc, [hint('cluster'), hint('agent_update'), hint('cluster')]);
  expect(touched).toEqual([
    { key: trpc.auditLog.pathKey(), which: 'new' },
    { key: trpc.clusters.pathKey(), which: { id: '1' } },
    { key: trpc.workloads.pathKey(), which: { id: '1' } },
    { key: trpc.attention.pathKey(), which: 'all' },
    { key: trpc.environments.overview.pathKey(), which: 'all' },
    { key: trpc.processes.runs.pathKey(), which: 'all' },
    { key: trpc.workflows.pathKey(), which: { id: '1' } },
    { key: trpc.clusters.pathKey(), which: 'all' },
  ]);
  for (const kind of ['something new', 'toString', '__proto__']) {
    expect(touchedBy(trpc, [hint(kind)])).toEqual([{ key: trpc.auditLog.pathKey(), which: 'new' }]);
  }
  expect([touchesSession([hint('team'), hint('member')]), touchesSession([hint('cluster')])]).toEqual([true, false]);
});
