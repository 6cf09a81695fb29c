import { isUtf8 } from 'node:buffer';
import { effect } from '../../db/engine/effect.ts';
import { connectionAccess } from '../../db/git-connections/connection-access.ts';
import { noteDelivery } from '../../db/git-connections/connections.ts';
import type { ToldConnection } from '../../db/git-connections/pushes.ts';
import { commitOf, isBuiltBy, placesOf, type Taken, takeDelivery } from '../../db/git-connections/pushes.ts';
import { type Delivery, deliveryOf } from '../../domain/git/webhooks/delivery.ts';
import type { DeliveryHeaders } from '../../domain/git/webhooks/verify.ts';
import { Problem } from '../../domain/problems.ts';
import { gitAddress } from '../../outbound/git/address.ts';
import { type RemoteRefs, remoteRefs } from '../../outbound/git/remote-refs.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

/** A message whose sender knows the secret. */
interface Received {
  connection: ToldConnection;
  name: string;
  headers: DeliveryHeaders;
  body: Buffer;
  from: { ip: string; requestId: string };
}

/** Hosts wait ten seconds for an answer; one that cannot be asked is believed. */
const longestQuestion = 4_000;
const shown = 12;

/** Takes a message: parsed, compared with the host, then in one transaction remembered and built. */
export async function receive(
  server: ServerParts,
  { connection, name, headers, body, from }: Received,
): Promise<Taken> {
  const { database } = server;
  const author = (of: string) => ({
    ...{ kind: 'machine' as const, id: `git/${connection.id}`, ...from },
    name: of === '' ? `Git push (${connection.label})` : `Git push by ${of}`,
  });
  const json = jsonOf(body);
  if (json === undefined) {
    const status = 'refused: no JSON; choose the content type application/json for the webhook';
    const { organizationId, id } = connection;
    await effect(database, author(''), (noting) => noteDelivery(noting, organizationId, id, status));
    throw new Problem(
      'invalid-request',
      'The body is not JSON: choose the content type application/json for the webhook.',
    );
  }
  const delivery = deliveryOf(connection.provider, headers, json.value);
  const seen = await atHost(server, connection, delivery);
  return await effect(database, author(delivery.author), (taking) =>
    takeDelivery(taking, connection, name, delivery, seen),
  );
}

function jsonOf(body: Buffer): { value: unknown } | undefined {
  if (!isUtf8(body)) return undefined;
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/**
 * Messages may arrive in another order than pushes were made, and the older commit must not take the newer one's place. So the
 * host is asked once what the ref names by now. What it named before the push counts, too: a copy of a host may lag behind.
 */
async function atHost(
  server: ServerParts,
  connection: ToldConnection,
  delivery: Delivery,
): Promise<{ defaultBranch: string; outdated?: string }> {
  const { kind, repository, ref, before, commit, defaultBranch } = delivery;
  if (kind !== 'push' && kind !== 'tag') return { defaultBranch };
  const places = await placesOf(server.database.kysely, connection, repository);
  const place = places.find(
    (one) => one.allowed && (isBuiltBy(one, delivery, defaultBranch) || (one.branch === '' && defaultBranch === '')),
  );
  if (place === undefined) return { defaultBranch };
  const asked = await ask(server, connection, place.projectId, commitOf(connection, place, delivery).url, ref);
  if (asked === undefined) return { defaultBranch };
  const known = defaultBranch === '' ? (asked.head ?? '').replace('refs/heads/', '') : defaultBranch;
  const now = asked.refs.find((one) => one.name === ref)?.commit;
  if (now === undefined) return { defaultBranch: known, outdated: `${ref} is not there any more` };
  if (now === commit || now === before) return { defaultBranch: known };
  const outdated = `${ref} names ${now.slice(0, shown)} by now, and no longer ${commit.slice(0, shown)}`;
  return { defaultBranch: known, outdated };
}

async function ask(
  { database, keyring, outbound, log }: ServerParts,
  { id, organizationId, host }: ToldConnection,
  projectId: string,
  url: string,
  ref: string,
): Promise<RemoteRefs | undefined> {
  try {
    const access = await connectionAccess(database.kysely, keyring, organizationId, { id, usedFor: [projectId] });
    return await remoteRefs(gitAddress(url, outbound), access, [ref], { ...outbound, timeoutMillis: longestQuestion });
  } catch (error) {
    log.info({ err: error, host }, 'A push is believed: its host could not be asked');
    return undefined;
  }
}
