/**
 * `node worker/record-history.ts <actor id> <name>`: writes the history of an actor that has ended as
 * `test/histories/<kind>-<name>.json`, so that every later version of its workflow is proven to replay it. Payloads are
 * written in plain, since replaying must need no key: record actors of test data only.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openKeyring } from '../db/keys/keys.ts';
import { openDatabase } from '../db/postgres/database.ts';
import { readSettings, required } from '../domain/settings/settings.ts';
import { type PayloadKeys, payloadCodec } from '../temporal/connection/codec.ts';
import type { Temporal } from '../temporal/connection/connect.ts';
import { openTemporal } from '../temporal/connection/open.ts';
import { historyToText } from '../temporal/history/history-text.ts';
import { inPlain, isPayload } from '../temporal/history/in-plain.ts';
import { actorOf } from '../workflows/descriptors.ts';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const histories = join(checkout, 'test', 'histories');

/** Writes the file and answers its path. */
export async function recordHistory(
  temporal: Temporal,
  keys: PayloadKeys,
  actorId: string,
  name: string,
): Promise<string> {
  const actor = actorOf(actorId);
  if (!actor || !/^[a-z0-9-]+$/.test(name)) throw new Error('Give the id of an actor, and a name of a-z, 0-9 and -.');
  const history = await temporal.client.workflow.getHandle(actorId).fetchHistory();
  await inPlain(history, payloadCodec(keys), () => false);
  withoutCheckout(history);
  await mkdir(histories, { recursive: true });
  const path = join(histories, `${actor.kind}-${name}.json`);
  await writeFile(path, historyToText(history));
  return path;
}

/** Takes out where the program lay. */
function withoutCheckout(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (isPayload(value)) {
    const text = Buffer.from(value.data ?? []).toString('utf8');
    if (text.includes(checkout)) value.data = Buffer.from(text.replaceAll(checkout, ''));
    return;
  }
  for (const part of Object.values(value)) withoutCheckout(part);
}

if (import.meta.main) {
  const [actorId = '', name = ''] = process.argv.slice(2);
  const settings = readSettings(process.env);
  const url = required(settings, 'DATABASE_URL');
  const database = await openDatabase({ url, applicationName: 'ballast record-history', poolMax: 2 });
  const { temporal, keys } = await openTemporal(settings, await openKeyring(database, settings.KEYS_FILE));
  const path = await recordHistory(temporal, keys, actorId, name);
  process.stdout.write(`${path}\n`);
  await Promise.all([temporal.close(), database.close()]);
}
