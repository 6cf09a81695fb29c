import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../../machine/files.ts';
import { errorCode, Refusal } from '../supervisor/refusal.ts';
import { type HomeRecord, newHomeRecord, readHomeRecord } from './home-record.ts';

const folders = ['keys', 'temporal', 'logs', 'run'] as const;
/** Names that may lie in a directory that is about to become a home. */
const ours = new Set<string>([...folders, 'home.json', 'postgres', 'cache', 'agent']);
/** In a home that a backup is being restored into. */
export const restoringFile = 'restoring';

/** The directory that holds everything of one installation. */
export class Home {
  readonly path: string;
  #record: HomeRecord;

  constructor(path: string, record: HomeRecord) {
    this.path = path;
    this.#record = record;
  }

  get record(): Readonly<HomeRecord> {
    return this.#record;
  }

  keep(changed: Partial<Omit<HomeRecord, 'layout' | 'installation'>>): void {
    const next = { ...this.#record, ...changed };
    if (JSON.stringify(next) === JSON.stringify(this.#record)) return;
    writeFileAtomically(join(this.path, 'home.json'), `${JSON.stringify(next, undefined, 2)}\n`);
    this.#record = next;
  }

  file(folder: (typeof folders)[number], name: string): string {
    return join(this.path, folder, name);
  }

  /** PostgreSQL's data, or a link to them. */
  get postgres(): string {
    return join(this.path, 'postgres');
  }
}

/** Opens the home and makes it if it is not there; refuses a directory that is not ours, not writable or of a newer layout. */
export function openHome(path: string): Home {
  try {
    makeDirectory(path);
    refuseForeign(path);
    chmodSync(path, 0o700);
    for (const folder of folders) mkdirSync(join(path, folder), { recursive: true, mode: 0o700 });
    const recordPath = join(path, 'home.json');
    if (!existsSync(recordPath)) {
      writeFileAtomically(recordPath, `${JSON.stringify(newHomeRecord(), undefined, 2)}\n`);
    } else {
      // Noticed now, and not when PostgreSQL has been started already.
      writeFileAtomically(join(path, 'run', 'writable'), '');
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const code = errorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new Refusal(`The disk of ${path} is full; free some space or set BALLAST_HOME to a directory elsewhere.`);
    }
    throw new Refusal(
      `The home ${path} cannot be written (${code || String(error)}); make it writable for this user or set BALLAST_HOME to another directory.`,
    );
  }
  return readHome(path);
}

/** Node's own `recursive` never comes back where a directory exists and yet takes none, as /proc does. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Opens a home that must be there already, without changing anything. */
export function readHome(path: string): Home {
  const recordPath = join(path, 'home.json');
  let content: string;
  try {
    content = readFileSync(recordPath, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') {
      throw new Refusal(
        `${path} is not a home of Ballast yet; run \`./ballast up\` first, or set BALLAST_HOME to the right one.`,
      );
    }
    throw new Refusal(`${recordPath} cannot be read (${errorCode(error)}); run this as the user that starts Ballast.`);
  }
  return new Home(path, readHomeRecord(recordPath, content));
}

function refuseForeign(path: string): void {
  const me = process.getuid?.();
  const { uid } = statSync(path);
  if (me !== undefined && uid !== me) {
    throw new Refusal(
      `The home ${path} belongs to user ${uid} and you are user ${me}; start as that user or set BALLAST_HOME to another directory.`,
    );
  }
  const entries = readdirSync(path);
  if (entries.includes(restoringFile)) {
    throw new Refusal(
      `A backup is being restored into ${path}, or its restore was interrupted; finish it with \`./ballast admin restore\`.`,
    );
  }
  if (entries.includes('home.json')) return;
  const foreign = entries.find((entry) => !ours.has(entry));
  if (foreign !== undefined) {
    throw new Refusal(
      `${path} holds other files (such as ${foreign}) and no home.json; set BALLAST_HOME to an empty or a new directory.`,
    );
  }
}
