import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { type Command, type CommandResult, commandBody, commandResult } from '../../protocol/command.ts';
import type { Log } from '../program/log.ts';
import { Spool } from './spool.ts';

/**
 * States of a command. received: may start. started: may have had effects. finished: the result waits to be reported.
 * gone: the result was acknowledged; kept for a while, so that a late copy of the command is recognised.
 */
const entry = z.object({
  id: z.uuid(),
  attempt: z.int().min(1),
  state: z.enum(['received', 'started', 'finished', 'gone']),
  /** How often it was started; more than once only what can be taken up again. */
  starts: z.int().min(0),
  body: commandBody.optional(),
  /** The driver's note for ending a command that was started. */
  mark: z.string().max(1000).optional(),
  result: commandResult.optional(),
});
export type Entry = z.infer<typeof entry>;

/** So many acknowledged commands are remembered, the newest ones. */
const remembered = 500;
const buildBytes = 256 * 1024 * 1024;

/** A file for each command, on disk before the command has any effect. */
export class Journal {
  /** Made with the journal: who has another one knows nothing of these commands. */
  readonly id: string;
  readonly #directory: string;
  readonly #entries = new Map<string, Entry>();
  readonly #spools = new Map<string, Spool>();

  constructor(directory: string, log: Log) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.id = journalId(join(directory, 'id'));
    const files = readdirSync(directory).filter((name) => name.endsWith('.json'));
    const byAge = files
      .map((name) => ({ name, time: statSync(join(directory, name)).mtimeMs }))
      .sort((one, other) => one.time - other.time);
    for (const { name } of byAge) {
      const path = join(directory, name);
      try {
        const read = entry.parse(JSON.parse(readFileSync(path, 'utf8')));
        this.#entries.set(read.id, read);
      } catch {
        renameSync(path, `${path}.damaged`);
        log.warn(
          `The journal's ${name} cannot be read; it is kept as ${name}.damaged and its command is not taken up.`,
        );
      }
    }
    this.#forgetOldest();
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Commands whose results are not acknowledged yet. */
  open(): Entry[] {
    return [...this.#entries.values()].filter(({ state }) => state !== 'gone');
  }

  receive({ id, attempt, body }: Command): Entry {
    this.#spools.get(id)?.remove();
    this.#spools.delete(id);
    new Spool(join(this.#directory, `${id}.output`)).remove();
    return this.#write({ id, attempt, body, state: 'received', starts: 0 });
  }

  start(id: string): Entry {
    const known = this.#known(id);
    const started = { ...known, state: 'started' as const, starts: known.starts + 1 };
    this.#write({ ...started, body: known.body && withoutSecrets(known.body) });
    return started;
  }

  /** Records the next step before it starts, so that the next agent can end it. */
  mark(id: string, mark: string): Entry {
    return this.#write({ ...this.#known(id), mark });
  }

  finish(id: string, result: CommandResult): Entry {
    this.#spools.get(id)?.sync();
    return this.#write({ ...this.#known(id), state: 'finished', result });
  }

  /** The control plane acknowledged the result. */
  gone(id: string): void {
    const { attempt, starts, result } = this.#known(id);
    this.spool(id).remove();
    this.#spools.delete(id);
    this.#write({ id, attempt, starts, state: 'gone', ...(result === undefined ? {} : { result }) });
    this.#forgetOldest();
  }

  /** Output of a command that is not acknowledged yet. */
  spool(id: string): Spool {
    const spool = this.#spools.get(id) ?? this.#openSpool(this.#known(id));
    this.#spools.set(id, spool);
    return spool;
  }

  /** Of a build no line may be missing: one whose output is not taken in time ends. */
  #openSpool({ id, body }: Entry): Spool {
    const directory = join(this.#directory, `${id}.output`);
    return body?.kind === 'build' ? new Spool(directory, buildBytes, 'refuse') : new Spool(directory);
  }

  #known(id: string): Entry {
    const known = this.#entries.get(id);
    if (known === undefined) throw new Error(`The journal knows no command ${id}.`);
    return known;
  }

  #write(changed: Entry): Entry {
    writeFileAtomically(join(this.#directory, `${changed.id}.json`), JSON.stringify(changed));
    this.#entries.delete(changed.id);
    this.#entries.set(changed.id, changed);
    return changed;
  }

  #forgetOldest(): void {
    const gone = [...this.#entries.values()].filter(({ state }) => state === 'gone');
    for (const { id } of gone.slice(0, Math.max(0, gone.length - remembered))) {
      this.#entries.delete(id);
      rmSync(join(this.#directory, `${id}.json`), { force: true });
    }
  }
}

/** What was started is never started again: nobody needs its secrets on the disk. */
function withoutSecrets(body: Command['body']): Command['body'] {
  if (body.kind === 'backup-volume') return { ...body, store: { ...body.store, secretAccessKey: '' } };
  if (body.kind === 'restore-volume' && 'store' in body.from)
    return { ...body, from: { ...body.from, store: { ...body.from.store, secretAccessKey: '' } } };
  if (body.kind !== 'build') return body;
  const { variables: _, masked: __, source, ...rest } = body;
  return { ...rest, source: source.kind === 'git' ? { ...source, password: '' } : source };
}

function journalId(path: string): string {
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (/^[0-9a-f-]{36}$/.test(known)) return known;
  const made = randomUUID();
  writeFileAtomically(path, `${made}\n`);
  return made;
}
