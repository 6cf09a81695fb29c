import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { fingerprint, fingerprintOf, type ReleaseProof, type Trust } from '../../protocol/release-proof.ts';
import { newestKey, provenProgram } from '../../protocol/verify-proof.ts';
import type { AgentCommand } from '../program/options.ts';
import { Refusal } from '../program/refusal.ts';
import { homeOption, openHome } from './home.ts';

const pin = z.object({
  /** Of the key that signs what this agent runs. */
  fingerprint,
  /** No release of a lower epoch is taken, unless it is on this disk already. */
  epoch: z.int().min(0),
  /** Origin of the key: the join command, the control plane's first answer, or an operator at this machine. */
  from: z.enum(['join', 'first-use', 'operator']),
  since: z.iso.datetime(),
});
type Pin = z.infer<typeof pin>;

/** The key that this agent believes: `trust.json` in its home. Nothing here ever believes another one by itself. */
export class TrustFile {
  readonly #path: string;

  constructor(home: string) {
    this.#path = join(home, 'trust.json');
  }

  read(): Pin | undefined {
    if (!existsSync(this.#path)) return undefined;
    try {
      return pin.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      throw new Refusal(
        `${this.#path} is damaged, so no release can be verified; run \`ballast agent trust FINGERPRINT\` with the fingerprint that \`./ballast agent sign\` prints.`,
      );
    }
  }

  write(told: Omit<Pin, 'since'>): void {
    const since = new Date().toISOString();
    writeFileAtomically(this.#path, `${JSON.stringify({ ...told, since }, undefined, 2)}\n`);
  }

  forget(): void {
    rmSync(this.#path, { force: true });
  }

  /**
   * Goes along with what a control plane says about its keys: pins the newest if none is pinned, follows a chain that
   * begins with the pinned one. Answers a sentence if something changed, or if it cannot be followed.
   */
  follow(told: Trust): { pinned: string } | { strange: string } | undefined {
    const known = this.read();
    if (known === undefined) {
      const key = newestKey(fingerprintOf(told.key), told);
      if (key === undefined) return { strange: 'The control plane names keys that do not follow from each other.' };
      this.write({ fingerprint: fingerprintOf(key), epoch: 0, from: 'first-use' });
      return { pinned: `From now on only releases signed by the key ${fingerprintOf(key)} are taken.` };
    }
    const key = newestKey(known.fingerprint, told);
    if (key === undefined) {
      return {
        strange: `The control plane signs with another key than the pinned one (${known.fingerprint}), which does not vouch for it: no release is taken from it. If the key was replaced on purpose, run \`ballast agent trust FINGERPRINT\` on this machine.`,
      };
    }
    if (fingerprintOf(key) === known.fingerprint) return undefined;
    this.write({ ...known, fingerprint: fingerprintOf(key) });
    return { pinned: `The key of releases was changed by the one before it; it is ${fingerprintOf(key)} now.` };
  }

  /** Refuses what is not signed for this very machine, digest and time; remembers how new it is. */
  admit(proof: ReleaseProof | undefined, digest: string): void {
    const known = this.read();
    if (known === undefined) {
      throw new Refusal(
        'This agent trusts no key yet, so it takes no release; it learns the key with its next start, or by `ballast agent trust FINGERPRINT`.',
      );
    }
    if (proof === undefined) {
      throw new Refusal('The release is not signed, so it is not run; sign it by `./ballast agent sign`.');
    }
    const told = provenProgram(known.fingerprint, proof, proof.release);
    if (told === undefined) {
      throw new Refusal(
        `The release is not signed by the key that this agent trusts (${known.fingerprint}), so it is not run.`,
      );
    }
    if (told.kind !== 'agent' || told.digest !== digest) {
      throw new Refusal('The signature is about another program than the one that is offered, so it is not run.');
    }
    const own = `${process.platform}-${process.arch}`;
    if (told.platform !== 'any' && told.platform !== own) {
      throw new Refusal(`The release is for ${told.platform} and this machine is ${own}, so it is not run.`);
    }
    if (told.epoch < known.epoch) {
      throw new Refusal(
        `The release is older (epoch ${told.epoch}) than what this agent has run (epoch ${known.epoch}) and not on its disk any more, so it is not run.`,
      );
    }
    const key = newestKey(known.fingerprint, proof);
    this.write({ ...known, epoch: told.epoch, fingerprint: fingerprintOf(key ?? '') });
  }
}

export const trustKey: AgentCommand = {
  name: 'trust',
  summary: "Shows which key signs the agent's releases, or trusts another one from now on.",
  details:
    'The agent follows a changed key by itself if the key before it vouches for it. Give a fingerprint only when the key was lost: `./ballast agent sign` prints that of the present key.',
  word: 'FINGERPRINT',
  options: { home: homeOption, json: { what: 'As JSON.' } },
  async run(values) {
    const home = openHome(values.needed('home'));
    const trust = new TrustFile(home);
    // Not read before it is written: this is how a damaged file is mended.
    if (values.word !== undefined) {
      trust.write({ fingerprint: fingerprintIn(values.word), epoch: 0, from: 'operator' });
    }
    const pinned = trust.read();
    if (values.has('json')) {
      process.stdout.write(`${JSON.stringify({ pinned: pinned ?? null })}\n`);
    } else if (pinned === undefined) {
      process.stdout.write(
        `The agent of ${home} trusts no key yet; it keeps the first one that its control plane names.\n`,
      );
    } else {
      const { fingerprint, epoch, since } = pinned;
      process.stdout.write(
        `The agent of ${home} runs what the key ${fingerprint} has signed (since ${since}, epoch ${epoch} or later).\n`,
      );
    }
    return 0;
  },
};

export function fingerprintIn(text: string): string {
  const read = fingerprint.safeParse(
    text
      .trim()
      .toLowerCase()
      .replaceAll(':', '')
      .replace(/^sha256/, ''),
  );
  if (read.success) return read.data;
  throw new Refusal(
    'A fingerprint has 64 hexadecimal digits; `./ballast agent sign` prints that of the key that signs.',
  );
}
