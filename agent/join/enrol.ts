import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { programVersion } from '../../domain/version.ts';
import type { EnrolAnswer } from '../../protocol/agent.ts';
import { protocolVersion } from '../../protocol/version.ts';
import {
  forgetIdentity,
  hashOf,
  type Identity,
  makeCredential,
  readIdentity,
  writeIdentity,
} from '../home/identity.ts';
import { controlPlaneAddress, isLoopback } from '../link/address.ts';
import { pause, SpreadBackOff } from '../link/back-off.ts';
import { Client } from '../link/client.ts';
import { LinkFailure } from '../link/link-failure.ts';
import { type Log, reason } from '../program/log.ts';
import { Refusal } from '../program/refusal.ts';

export interface JoinOptions {
  home: string;
  url: string;
  /** Where a socket leads to is this installation, whatever it is called. */
  socket?: string | undefined;
  token: string;
  caFile?: string | undefined;
  log: Log;
  signal: AbortSignal;
}

/**
 * Enrols the agent of this home. The credential is made here and on disk before the control plane hears of it, so that an
 * answer that is lost can be asked for again; only its hash is sent.
 */
export async function enrol({ home, url, socket, token, caFile, log, signal }: JoinOptions): Promise<Identity> {
  const address = controlPlaneAddress(url);
  const known = readIdentity(home);
  if (known?.cluster !== undefined) {
    throw new Refusal(
      `This agent is enrolled already, for the cluster ${known.cluster.name} of ${known.url}; \`ballast agent leave\` makes it forget that.`,
    );
  }
  if (!/^[\x21-\x7e]{1,200}$/.test(token)) {
    throw new Refusal('The enrolment token is empty or malformed; copy the whole install command again.');
  }
  const credential = known?.credential ?? makeCredential();
  const draft: Identity = { url: address.href, credential, ...(caFile === undefined ? {} : { caFile }) };
  writeIdentity(home, draft);
  const client = clientFor(draft, () => token, socket);
  try {
    const answer = await ask(client, { token, credentialHash: hashOf(credential) }, log, signal);
    if (socket === undefined && !samePlace(address, new URL(answer.publicUrl))) {
      throw new Refusal(`The control plane is reached at ${answer.publicUrl}, not at ${url}; join it by that address.`);
    }
    const identity = { ...draft, cluster: { id: answer.clusterId, name: answer.clusterName } };
    writeIdentity(home, identity);
    return identity;
  } catch (error) {
    if (error instanceof LinkFailure && (error.kind === 'no-credential' || error.kind === 'refused')) {
      forgetIdentity(home);
      throw new Refusal(error.message);
    }
    if (error instanceof LinkFailure && error.kind !== 'unreachable') throw new Refusal(error.message);
    throw error;
  } finally {
    client.close();
  }
}

export function clientFor({ url, caFile }: Identity, credential: () => string, socket?: string): Client {
  if (socket !== undefined) return new Client({ url: 'http://localhost', socket, credential });
  return new Client({ url, credential, ...(caFile === undefined ? {} : { certificates: readCertificates(caFile) }) });
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Refusal(`The certificates in ${path} cannot be read: ${reason(error)}.`);
  }
}

async function ask(
  client: Client,
  proof: { token: string; credentialHash: string },
  log: Log,
  signal: AbortSignal,
): Promise<EnrolAnswer> {
  const backOff = new SpreadBackOff();
  const end = performance.now() + 120_000;
  for (;;) {
    try {
      const protocol = { ...protocolVersion };
      return await client.enrol({ ...proof, protocol, version: programVersion, hostname: hostname() });
    } catch (error) {
      const mayPass = error instanceof LinkFailure && error.kind === 'unreachable';
      if (!mayPass || signal.aborted || performance.now() > end) throw error;
      log.warn(error.message);
      await pause(backOff.next(error.retryAfterMillis), signal);
    }
  }
}

function samePlace(one: URL, other: URL): boolean {
  if (isLoopback(one.hostname) && isLoopback(other.hostname)) return one.port === other.port;
  return one.origin === other.origin;
}
