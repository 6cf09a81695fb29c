import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import {
  fingerprintOf,
  type ProgramStatement,
  programStatement,
  type ReleaseProof,
  type Signed,
  signed,
  trust,
} from '../../protocol/release-proof.ts';
import { Refusal } from '../program/refusal.ts';

const signingFile = trust.extend({
  /** Of the newest key, as PEM. */
  privateKey: z.string(),
  epoch: z.int().min(0),
  /** The last signed statement of each kind, so that one release is signed once. */
  last: z.partialRecord(z.enum(['agent', 'runtime']), signed.extend({ digest: z.string() })),
});
type SigningFile = z.infer<typeof signingFile>;

export type Program = Pick<ProgramStatement, 'version' | 'platform' | 'digest'>;

/**
 * The key that says what agents may run as root. Only the supervisor's children that sign and the command line read it:
 * the API and the worker get what was signed, never what signs.
 */
export class SigningKey {
  readonly #path: string;
  #file: SigningFile;

  private constructor(path: string, file: SigningFile) {
    this.#path = path;
    this.#file = file;
  }

  /** Nothing if none was ever made here. */
  static read(path: string): SigningKey | undefined {
    if (!existsSync(path)) return undefined;
    try {
      return new SigningKey(path, signingFile.parse(JSON.parse(readFileSync(path, 'utf8'))));
    } catch {
      throw new Refusal(
        `${path} is damaged, and no release of the agent can be signed without it; restore it from a backup, or make a new key by \`./ballast agent sign --replace-lost-key\`.`,
      );
    }
  }

  static make(path: string): SigningKey {
    const { privateKey, key } = newKey();
    const made = new SigningKey(path, { key, chain: [], privateKey, epoch: 0, last: {} });
    made.#write();
    return made;
  }

  get fingerprint(): string {
    return fingerprintOf(publicKeyOf(this.#file.privateKey));
  }

  /** Signs a bundle and, where one is given away with it, a Node. */
  prove(bundle: Program, runtime?: Program): { proof: ReleaseProof; epoch: number } {
    const release = this.#sign({ kind: 'agent', ...bundle });
    const node = runtime === undefined ? {} : { runtime: this.#sign({ kind: 'runtime', ...runtime }) };
    const { key, chain } = this.#file;
    const { epoch } = programStatement.parse(JSON.parse(release.statement));
    return { proof: { key, chain, release, ...node }, epoch };
  }

  /** The same program is signed once; another one, or the one from before it again, is newer than all before. */
  #sign(program: Omit<ProgramStatement, 'epoch'>): Signed {
    const { kind, version, platform, digest } = program;
    const last = this.#file.last[kind];
    if (last?.digest === digest) return { statement: last.statement, signature: last.signature };
    const epoch = this.#nextEpoch();
    const made = this.#signed({ kind, version, platform, digest, epoch });
    this.#file = { ...this.#file, epoch, last: { ...this.#file.last, [kind]: { ...made, digest } } };
    this.#write();
    return made;
  }

  /** Goes over to a new key, which the present one vouches for. */
  change(): void {
    const { privateKey, key } = newKey();
    const epoch = this.#nextEpoch();
    const link = this.#signed({ kind: 'key', key, epoch });
    this.#file = { ...this.#file, chain: [...this.#file.chain, link], privateKey, epoch, last: {} };
    this.#write();
  }

  /** Seconds, and always more than before: a home that comes back from a backup must not sign what looks old. */
  #nextEpoch(): number {
    return Math.max(this.#file.epoch + 1, Math.floor(Date.now() / 1000));
  }

  #signed(statement: object): Signed {
    const text = JSON.stringify(statement);
    const signature = sign(null, Buffer.from(text), createPrivateKey(this.#file.privateKey)).toString('base64');
    return { statement: text, signature };
  }

  #write(): void {
    writeFileAtomically(this.#path, `${JSON.stringify(this.#file, undefined, 2)}\n`);
  }
}

function newKey(): { privateKey: string; key: string } {
  const pair = generateKeyPairSync('ed25519');
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { privateKey, key: publicKeyOf(privateKey) };
}

function publicKeyOf(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
}
