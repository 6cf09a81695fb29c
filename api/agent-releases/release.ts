import { currentRelease, findRelease, readReleaseBytes } from '../../db/agent-updates/agent-releases.ts';
import { isEnrollmentTokenGood } from '../../db/clusters/enrollment-tokens.ts';
import { Problem } from '../../domain/problems.ts';
import type { Release } from '../../protocol/agent.ts';
import { type ReleaseProof, releaseProof } from '../../protocol/release-proof.ts';
import { type AgentHeaders, admitAgent, bearerOf, type From } from '../agent-link/admit-agent.ts';
import { agentRoute, openRoute } from '../agent-link/agent-route.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { openRuntime, runtime } from './agent-program.ts';

/** Which release of the agent this control plane offers. */
export const release = agentRoute({
  method: 'GET',
  url: 'release',
  handle: ({ server }) => signedRelease(server),
});

/** The bytes of a release, for agents and for machines that are about to become one. */
export const bundle = openRoute({
  method: 'GET',
  url: 'bundles/:id',
  async handle({ server, id, from, request, reply }) {
    await admitDownload(server, request.headers, from);
    const found = await findRelease(server.database.kysely, { digest: id });
    const bytes = found && (await readReleaseBytes(server.database.kysely, id));
    if (bytes === undefined)
      throw new Problem('not-found', 'This control plane has no release of the agent with this digest.');
    const begin = Number(/^bytes=(\d{1,12})-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    reply.type('application/gzip').header('accept-ranges', 'bytes');
    if (begin === 0 || begin >= bytes.length) return reply.send(bytes);
    return reply
      .code(206)
      .header('content-range', `bytes ${begin}-${bytes.length - 1}/${bytes.length}`)
      .send(bytes.subarray(begin));
  },
});

/** The Node that this control plane runs on, for machines of the same kind that have none. */
export const nodeRuntime = openRoute({
  method: 'GET',
  url: 'runtime',
  async handle({ server, from, request, reply }) {
    await admitDownload(server, request.headers, from);
    const { os, arch, digest, sizeBytes } = await runtime();
    return reply
      .type('application/octet-stream')
      .header('content-length', sizeBytes)
      .header('x-ballast-platform', `${os}-${arch}`)
      .header('x-ballast-digest', digest)
      .send(openRuntime());
  },
});

/** The script that people run on a machine to make it a cluster. Public: it holds no secret. */
export const installScript = openRoute({
  method: 'GET',
  url: 'install.sh',
  async handle({ server, from, reply }) {
    await server.rates.spend('anonymous', from.address, server.settings.RATE_LIMIT_ANONYMOUS_PER_MINUTE);
    const { agentProgram } = server;
    if (agentProgram === undefined) throw notReady();
    const { proof, ...release } = await signedRelease(server);
    const parts = { url: server.settings.PUBLIC_URL, release, proof, runtime: await runtime() };
    const script = await agentProgram.installScript(parts).catch((error: unknown) => {
      // The message says what is wrong with PUBLIC_URL.
      if (error instanceof Error && error.name === 'Refusal') throw new Problem('conflict', error.message);
      throw error;
    });
    return reply.type('text/x-shellscript; charset=utf-8').send(script);
  },
});

async function signedRelease({ database }: ServerParts): Promise<Release & { proof: ReleaseProof }> {
  const current = await currentRelease(database.kysely);
  if (current === undefined) throw notReady();
  const { image, version, digest, sizeBytes, proof } = current;
  return { image, version, digest, sizeBytes, proof: releaseProof.parse(proof) };
}

/** An enrolled agent, or somebody who holds a token that still could enrol one. */
async function admitDownload(server: ServerParts, headers: AgentHeaders, from: From): Promise<void> {
  const secret = bearerOf(headers.authorization);
  if (secret !== undefined && (await isEnrollmentTokenGood(server.database.kysely, secret))) return;
  await admitAgent(server, headers, from);
}

function notReady(): Problem {
  return new Problem(
    'unavailable',
    'This control plane has no signed release of the agent to offer yet. `./ballast up` signs one when it starts; where API and workers run by themselves, run `./ballast agent sign`.',
    { retryAfterSeconds: 2 },
  );
}
