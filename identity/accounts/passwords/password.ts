import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import { takeTurn } from './turns.ts';

/** About 64 MiB and a quarter of a second for each guess. */
const cost = { N: 2 ** 16, r: 8, p: 2 };
const saltBytes = 16;
const hashBytes = 32;

/** `scrypt$N$r$p$salt$hash`: it says itself how it was made, so that old ones can be checked when the cost grows. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, cost);
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/**
 * Whether it is the password. Without a stored one (there is no such account) it takes as long and says no, so that time
 * does not tell which accounts there are.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const { cost, salt, hash } = parse(stored ?? unknownAccount);
  const equal = timingSafeEqual(await derive(password, salt, cost), hash);
  return equal && stored !== undefined;
}

/** Whether it was made with another cost than new ones are. */
export function isOutdated(stored: string): boolean {
  const { cost: used } = parse(stored);
  return used.N !== cost.N || used.r !== cost.r || used.p !== cost.p;
}

const unknownAccount = `scrypt$${cost.N}$${cost.r}$${cost.p}$${randomBytes(saltBytes).toString('base64')}$${randomBytes(hashBytes).toString('base64')}`;

type Cost = typeof cost;

function parse(stored: string): { cost: Cost; salt: Buffer; hash: Buffer } {
  const [name, N, r, p, salt, hash] = stored.split('$');
  if (name !== 'scrypt' || salt === undefined || hash === undefined) throw new Error('A stored password is damaged.');
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

async function derive(password: string, salt: Buffer, { N, r, p }: Cost): Promise<Buffer> {
  // The same text can be typed in more than one way; NFC makes these one.
  const typed = password.normalize('NFC');
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * N * r };
  using _turn = await takeTurn(busy);
  return await new Promise((resolve, reject) => {
    scrypt(typed, salt, hashBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function busy(): Refusal {
  return new Refusal('Many people are signing in at this moment; try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}
