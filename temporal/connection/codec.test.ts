import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { fc } from '../../test/run/drawn.ts';
import { type PayloadKeys, payloadCodec } from './codec.ts';

const first = { id: 'first', key: randomBytes(32) };
const second = { id: 'second', key: randomBytes(32) };

function keyring(current: typeof first, ...known: (typeof first)[]): PayloadKeys {
  return {
    current: () => Promise.resolve(current),
    async byId(id) {
      const found = known.find((key) => key.id === id);
      if (!found) throw new Error('no such key');
      return found.key;
    },
  };
}

test('what was written is read again, also after the key was replaced', async () => {
  const before = payloadCodec(keyring(first, first));
  const after = payloadCodec(keyring(second, first, second));
  await fc.assert(
    fc.asyncProperty(fc.json(), async (json) => {
      const payload = defaultPayloadConverter.toPayload(json);
      const [read] = await after.decode(await before.encode([payload]));
      expect(read && defaultPayloadConverter.fromPayload(read)).toBe(json);
    }),
    { numRuns: 50 },
  );
});

test('the same text never looks the same, and nothing of it is seen', async () => {
  const codec = payloadCodec(keyring(first, first));
  const payload = defaultPayloadConverter.toPayload('the organization acme');
  const [one, two] = await codec.encode([payload, payload]);
  expect(Buffer.from(one?.data ?? []).equals(Buffer.from(two?.data ?? []))).toBe(false);
  expect(Buffer.from(one?.data ?? []).includes('acme')).toBe(false);
});

test('an unknown key is named', async () => {
  const [payload] = await payloadCodec(keyring(second, second)).encode([defaultPayloadConverter.toPayload(1)]);
  const reading = payloadCodec(keyring(first, first)).decode(payload ? [payload] : []);
  await expect(reading).rejects.toThrow(/key "second", which is not available; restore the keys file/);
});

test('a payload that was altered, cut, or given another key is refused', async () => {
  const codec = payloadCodec(keyring(first, first, { id: 'second', key: first.key }));
  const [payload] = await codec.encode([defaultPayloadConverter.toPayload('text')]);
  const data = Buffer.from(payload?.data ?? []);
  const altered = Buffer.from(data);
  altered[data.length - 1] = (altered.at(-1) ?? 0) ^ 1;
  for (const wrong of [altered, data.subarray(0, 20), data.subarray(0, data.length - 1), Buffer.alloc(0)]) {
    await expect(codec.decode([{ ...payload, data: wrong }])).rejects.toThrow(/altered/);
  }
  const moved = { ...payload, metadata: { ...payload?.metadata, key: Buffer.from('second') } };
  await expect(codec.decode([moved])).rejects.toThrow(/altered/);
});

test('what Temporal itself wrote passes through', async () => {
  const payload = defaultPayloadConverter.toPayload('plain');
  expect(await payloadCodec(keyring(first, first)).decode([payload])).toEqual([payload]);
});
