import { fingerprint } from '../../protocol/release-proof.ts';
import type { AgentCommand } from '../program/options.ts';
import { Refusal } from '../program/refusal.ts';
import { openHome } from './home.ts';
import { homeOption } from './home-option.ts';
import { TrustFile } from './trust.ts';

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
