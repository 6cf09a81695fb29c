import { randomBytes } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { reasonInWords, within } from '../exchange.ts';
import { outboundFault } from '../failures.ts';
import { pinned } from '../pinned.ts';
import { type OutboundRules, trustOf } from '../rules.ts';
import { addressesOf, checkTarget, type Resolve, resolveByDns } from '../target.ts';
import { S3Client } from './s3-client.ts';
import { S3Failed } from './s3-failures.ts';
import type { S3Target } from './s3-request.ts';

const mostMillis = 30_000;

/**
 * Opens a bucket at an address that a user gave: each connection goes only where the rules let it, whatever its name means by
 * then. Throws `OutboundRefused` where the address itself is against them.
 */
export function openGivenBucket(target: S3Target, rules: OutboundRules, resolve: Resolve = resolveByDns): S3Client {
  const url = checkTarget(target.endpoint, rules);
  const lookup: LookupFunction = (host, options, answer) => {
    addressesOf(hostOf(url, host), rules, resolve).then(
      (addresses) => pinned(addresses)(host, options, answer),
      (error: Error) => answer(error, ''),
    );
  };
  const connect = { lookup, timeout: 5_000, ...trustOf(rules) };
  return new S3Client(target, new Agent({ connect, headersTimeout: 10_000, bodyTimeout: 60_000 }));
}

/** Writes a probe, reads it back, lists and deletes it. The sentence of the first step that fails; empty where none does. */
export async function verifyBucket(target: S3Target, rules: OutboundRules, resolve?: Resolve): Promise<string> {
  const url = new URL(target.endpoint);
  const probe = { key: `ballast-probe-${randomBytes(8).toString('hex')}`, bytes: randomBytes(64) };
  let step = '';
  try {
    const client = openGivenBucket(target, rules, resolve);
    const work = async (): Promise<void> => {
      for (const [name, take] of Object.entries(steps)) {
        step = name;
        await take(client, probe).catch(async (error: unknown) => {
          await client.delete(probe.key).catch(() => undefined);
          throw error;
        });
      }
    };
    try {
      await within(url, mostMillis, work);
    } finally {
      await client.close();
    }
    return '';
  } catch (error) {
    if (!(error instanceof S3Failed)) return outboundFault(error);
    const addresses = await addressesOf(url, rules, resolve ?? resolveByDns).catch(() => []);
    const why = await reasonInWords(url, addresses, error.reason, rules);
    if (why !== error.reason) return `${url.host} cannot be reached: ${why}.`;
    return `${step} failed: ${error.message}`;
  }
}

interface Probe {
  key: string;
  bytes: Buffer;
}

const steps: Readonly<Record<string, (client: S3Client, probe: Probe) => Promise<void>>> = {
  'Writing a probe': (client, { key, bytes }) => client.put(key, { pieces: [bytes] }),
  'Reading it back': async (client, { key, bytes }) => {
    const pieces: Buffer[] = [];
    for await (const piece of await client.get(key)) {
      pieces.push(piece);
      if (Buffer.concat(pieces).length > bytes.length) break;
    }
    if (!Buffer.concat(pieces).equals(bytes))
      throw new S3Failed('The store answered other bytes than it was given.', '');
  },
  'Listing it': async (client, { key }) => {
    for await (const page of client.list(key)) {
      if (page.some((one) => one.key === key)) return;
      break;
    }
    throw new S3Failed('The store does not list what it has.', '');
  },
  'Deleting it': (client, { key }) => client.delete(key),
};

function hostOf(url: URL, host: string): URL {
  const asked = new URL(url);
  asked.hostname = host;
  return asked;
}
