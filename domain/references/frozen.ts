import type { ReleaseContent } from '../services/settings.ts';
import type { FrozenReferences, Pieces, Reached } from './frozen-references.ts';

/** A variable as a release freezes it. */
export interface FrozenVariable {
  pieces: Pieces;
  /** The value with all that was put into it. */
  secret: boolean;
  /** As somebody wrote it, where it has references. */
  written?: { value: string; secret: boolean } | undefined;
}

// No name of a variable has a colon.
const [sealedLate, sealedWritten] = ['late:', 'written:'];

/** The parts of a release that are made of its variables. */
export function frozen(variables: ReadonlyMap<string, FrozenVariable>, reached: readonly Reached[]) {
  const plain: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const references: FrozenReferences = { written: {}, late: {}, reached: {} };
  for (const [key, { pieces, secret, written }] of [...variables].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const isLate = pieces.some((piece) => typeof piece !== 'string');
    if (isLate && secret) secrets[sealedLate + key] = JSON.stringify(pieces);
    else if (isLate) references.late[key] = pieces;
    else (secret ? secrets : plain)[key] = pieces.join('');
    if (written?.secret === true) secrets[sealedWritten + key] = written.value;
    else if (written !== undefined) references.written[key] = written.value;
  }
  const has = [...variables.values()].some(({ written }) => written !== undefined);
  for (const one of reached) references.reached[one.id] = one;
  return { variables: plain, secrets, ...(has ? { references } : {}) };
}

/** The part of a release's references that decides whether its instances are replaced: not how its values were written. */
export function running(references: FrozenReferences | undefined): Omit<FrozenReferences, 'written'> | undefined {
  if (references === undefined || Object.keys(references.reached).length === 0) return undefined;
  const { late, reached } = references;
  return { late, reached };
}

export function isRunning(sealedName: string): boolean {
  return !sealedName.startsWith(sealedWritten);
}

type Content = Pick<ReleaseContent, 'variables' | 'references'>;
/** As they are sealed with a release. */
type Sealed = Readonly<Record<string, string>>;

/** The values of a release, secret ones apart, and those that wait for addresses. */
export function valuesOf({ variables, references }: Content, sealed: Sealed) {
  const secrets = Object.fromEntries(Object.entries(sealed).filter(([name]) => !name.includes(':')));
  const late = new Map<string, Pieces>(Object.entries(references?.late ?? {}));
  for (const [name, text] of Object.entries(sealed)) {
    if (name.startsWith(sealedLate)) late.set(name.slice(sealedLate.length), JSON.parse(text));
  }
  return { variables, secrets, late };
}

/** The variables of a release as they were written. `read`: their references are read. */
export function writtenOf(
  content: Content,
  sealed: Sealed,
): Map<string, { value: string; secret: boolean; read: boolean }> {
  const { variables, secrets } = valuesOf(content, sealed);
  const found = new Map<string, { value: string; secret: boolean; read: boolean }>();
  for (const [key, value] of Object.entries(variables)) found.set(key, { value, secret: false, read: false });
  for (const [key, value] of Object.entries(secrets)) found.set(key, { value, secret: true, read: false });
  for (const [key, value] of Object.entries(content.references?.written ?? {}))
    found.set(key, { value, secret: false, read: true });
  for (const [name, value] of Object.entries(sealed)) {
    if (name.startsWith(sealedWritten))
      found.set(name.slice(sealedWritten.length), { value, secret: true, read: true });
  }
  return found;
}
