import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../../../machine/files.ts';
import type { Places } from '../places.ts';

/** The range that systemd keeps for users that exist only while something runs: no package and no person has one. */
const [first, last] = [61_184, 65_519];
const count = last - first + 1;
/** Instead of its key: a number that was another's before, and is given again only when there is no other one. */
const freed = '.freed-';

/**
 * One user of the system for each slice, by number only: it is written down while there is something of the slice, so that a
 * volume's owner stays its owner.
 * `runAsUser` of a process is for images with users of their own; here it is never the agent's user in any case.
 */
export class Users {
  readonly #file: string;
  /** Why nobody has a user of their own here. */
  readonly missing: string | undefined;

  constructor(places: Places, setpriv: string | undefined) {
    this.#file = join(places.instances, '.users.json');
    this.missing = reasonAgainst(places.home, setpriv);
  }

  /** A number that no workload has, for a look at what a user may do here. */
  get any(): number | undefined {
    return this.missing === undefined ? first - 1 : undefined;
  }

  /** Undefined if instances run as the agent's user. */
  of(key: string): number | undefined {
    if (this.missing !== undefined) return undefined;
    const known = this.#known();
    const own = known[key];
    if (own !== undefined) return own;
    const users = usersOfProcesses();
    const held = Object.entries(known).flatMap(([of, user]) => (of.startsWith(freed) ? [] : [user]));
    const user = this.#choose(key, [...Object.values(known), ...users]) ?? this.#choose(key, [...held, ...users]);
    if (user === undefined) {
      throw new Error(
        `All ${count} user IDs for workloads are in use; remove workloads that are not needed from this machine.`,
      );
    }
    const { [`${freed}${user}`]: _, ...others } = known;
    this.#write({ ...others, [key]: user });
    return user;
  }

  /** Nothing belongs any more to the users of those that are not used: their names go. */
  forget(isUsed: (key: string) => boolean): void {
    if (this.missing !== undefined) return;
    const known = Object.entries(this.#known());
    const gone = known.filter(([key]) => !key.startsWith(freed) && !isUsed(key));
    if (gone.length === 0) return;
    const kept = known.filter((one) => !gone.includes(one));
    this.#write(Object.fromEntries([...kept, ...gone.map(([, user]) => [`${freed}${user}`, user] as const)]));
  }

  /** Begins where the name of the file and the key lead, so that two homes rarely choose the same one. */
  #choose(key: string, taken: readonly number[]): number | undefined {
    const others = new Set(taken);
    const begin = createHash('sha256').update(`${this.#file}\n${key}`).digest().readUInt32BE(0) % count;
    for (let step = 0; step < count; step += 1) {
      const user = first + ((begin + step) % count);
      if (!others.has(user)) return user;
    }
    return undefined;
  }

  #known(): Record<string, number> {
    if (!existsSync(this.#file)) return {};
    return z.record(z.string(), z.int()).parse(JSON.parse(readFileSync(this.#file, 'utf8')));
  }

  #write(known: Record<string, number>): void {
    writeFileAtomically(this.#file, JSON.stringify(known));
  }
}

function reasonAgainst(home: string, setpriv: string | undefined): string | undefined {
  if (process.getuid?.() !== 0) return 'The agent is not running as root, so instances run as its own user.';
  if (setpriv === undefined)
    return 'The program setpriv (util-linux) is missing, so instances run as root: install it.';
  for (let directory = home; directory !== dirname(directory); directory = dirname(directory)) {
    if ((statSync(directory).mode & 0o001) === 0)
      return `Other users may not enter ${directory}, so instances run as root: give the agent a home elsewhere.`;
  }
  return undefined;
}

function usersOfProcesses(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    return statSync(join('/proc', name), { throwIfNoEntry: false })?.uid ?? [];
  });
}
