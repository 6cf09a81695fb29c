import type { FastifyInstance, FastifyRequest } from 'fastify';
import { effect } from '../../db/engine/effect.ts';
import { webhookSecret } from '../../db/git-connections/connection-access.ts';
import { noteDelivery } from '../../db/git-connections/connections.ts';
import type { Taken } from '../../db/git-connections/pushes.ts';
import { type ToldConnection, toldConnection } from '../../db/git-connections/pushes.ts';
import { deliveryName, isProved, type Proof, proofOf } from '../../domain/git/webhooks/verify.ts';
import { Problem } from '../../domain/problems.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { receive } from './receive.ts';

/** GitHub's messages of a push with many files are larger than what strangers may send elsewhere. */
export const largestDelivery = 5 * 1024 * 1024;
/** Bodies of one connection that are read at once, each of which is held until its signature is known. */
const mostAtOnce = 4;
/** Hosts send a whole message at once. */
const longestUnproved = 5_000;
/** Messages a minute: of one address, and of one address to one connection. */
const perMinute = { address: 600, connection: 300 };

/** A message whose connection is there, before its body is read. */
interface Visit {
  connection: ToldConnection;
  proof: Proof;
  secret: string;
  address: string;
  /** Ends the reading of a body that nobody has proved. */
  late: NodeJS.Timeout | undefined;
}

/** Messages of hosts of repositories: docs/builds.md. No part of the API for people. */
export function webhookRoutes(app: FastifyInstance, server: ServerParts, clients: ClientAddress): void {
  const { rates, database, keyring } = server;
  /** Those whose bodies are read, the oldest first. */
  const visits = new Map<FastifyRequest, Visit>();

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The bytes as they came: what is signed are they, and nothing is parsed before.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: largestDelivery }, (_, raw, done) =>
      done(null, raw),
    );
    scope.route<{ Params: { id: string } }>({
      method: 'POST',
      url: '/webhooks/git/:id',
      bodyLimit: largestDelivery,
      onRequest: async (request, reply) => {
        // However it ends: an answer, a client that leaves, a body that never comes.
        reply.raw.once('close', () => leave(request));
        await admit(request, request.params.id);
      },
      handler: async (request) => await answer(request),
    });
  });

  /** Nothing of the body is read for who knows no connection, or sends no signature at all. */
  async function admit(request: FastifyRequest, id: string): Promise<void> {
    const address = clients.of(request.raw);
    await rates.spend('git-webhook', address, perMinute.address);
    const known = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
    const connection = known ? await toldConnection(database.kysely, id.toLowerCase()) : undefined;
    if (connection === undefined) throw new Problem('not-found', 'There is no webhook at this address.');
    await rates.spend(`git-webhook ${connection.id}`, address, perMinute.connection);
    const proof = proofOf(connection.provider, request.headers);
    const secret = await webhookSecret(database.kysely, keyring, connection.organizationId, connection.id);
    // A token is shown before the body; a signature is known when all of it was read.
    const early = proof.kind === 'token' && secret !== undefined && isProved(proof, secret, Buffer.of(), Date.now());
    if (secret === undefined || proof.kind === 'none' || (proof.kind === 'token' && !early))
      throw await refused(connection);
    makeRoom(connection.id);
    // A body that does not come: its connection ends, since its answer would wait for it.
    const late = early ? undefined : setTimeout(() => request.raw.destroy(), longestUnproved);
    visits.set(request, { connection, proof, secret, address, late });
    request.admitted = early;
  }

  /** Who has proved nothing yet makes way, first whoever holds most from one address: a slow stranger stops no host. */
  function makeRoom(connectionId: string): void {
    const reading = [...visits].filter(([, { connection }]) => connection.id === connectionId);
    if (reading.length < mostAtOnce) return;
    const held = (one: string) => reading.filter(([, { address }]) => address === one).length;
    const unproved = reading.filter(([, { late }]) => late !== undefined);
    const most = Math.max(...unproved.map(([, { address }]) => held(address)));
    const [displaced] = unproved.find(([, { address }]) => held(address) === most) ?? [];
    if (displaced === undefined) {
      throw new Problem('unavailable', 'Other messages of this connection are being read; send it again in a moment.', {
        retryAfterSeconds: 5,
      });
    }
    leave(displaced);
    displaced.raw.destroy();
  }

  function leave(request: FastifyRequest): void {
    clearTimeout(visits.get(request)?.late);
    visits.delete(request);
  }

  async function answer(request: FastifyRequest): Promise<Taken> {
    const visit = visits.get(request);
    if (visit === undefined) throw new Error('The message was not admitted.');
    const { connection, proof, secret } = visit;
    clearTimeout(visit.late);
    visit.late = undefined;
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.of();
    if (!isProved(proof, secret, body, Date.now())) throw await refused(connection);
    request.admitted = true;
    const name = deliveryName(proof, request.headers, body);
    const from = { ip: clients.of(request.raw), requestId: request.id };
    return await receive(server, { connection, name, headers: request.headers, body, from });
  }

  /** Nobody learns what is wrong with it; the organization does, once a minute however many come. */
  async function refused({ id, organizationId, label }: ToldConnection): Promise<Problem> {
    const noted = await rates.spend('git-webhook-refused', id, 1).catch((error: unknown) => {
      if (error instanceof Problem) return undefined;
      throw error;
    });
    if (noted !== undefined) {
      const author = { kind: 'machine', id: `git/${id}`, name: `webhook of ${label}` } as const;
      await effect(database, author, (noting) => noteDelivery(noting, organizationId, id, 'refused: wrong signature'));
    }
    return new Problem('no-credential', 'The signature of the message is wrong.');
  }
}
