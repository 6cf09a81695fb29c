import type { z } from 'zod';
import { maskFor } from '../../db/releases/secret-texts.ts';
import { placeOfKey } from '../../domain/deployments/rollout-key.ts';
import { isId } from '../../domain/ids.ts';
import type { report } from '../../protocol/observed.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

type Report = z.output<typeof report>;

/**
 * The report with the secrets masked in the last lines of what failed: they are kept with the deployment, go through its
 * history, and are told to people.
 */
export async function maskFailures(
  { database, keyring }: Pick<ServerParts, 'database' | 'keyring'>,
  organizationId: string,
  body: Report,
): Promise<Report> {
  const slices: Report['slices'] = [];
  for (const slice of body.slices) {
    const { key, rollout } = slice;
    const place = placeOfKey(key);
    if (rollout?.failure === undefined || place === undefined || !isId(rollout.id)) {
      slices.push(slice);
      continue;
    }
    const program = { organizationId, ...place, release: { deploymentId: rollout.id } };
    const mask = await maskFor(database.kysely, keyring, program);
    // They follow each other: a secret may go on in the next one.
    const broken = { forms: [] };
    const lines = rollout.failure.lines.map((line) => mask.line(line, broken));
    const failure = { ...rollout.failure, lines };
    slices.push({ ...slice, rollout: { ...rollout, failure } });
  }
  return { ...body, slices };
}
