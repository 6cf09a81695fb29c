import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isOwnDirectory } from '../../machine/own-directory.ts';
import { isAlive, signal } from '../../machine/process-identity.ts';
import { order } from './control.ts';
import type { IngressFiles, ProcessRecord } from './ingress-files.ts';

/** The processes of an ingress, as their records tell: the one that serves, those that are leaving, and their holders. */
export class IngressProcesses {
  readonly #files: IngressFiles;

  constructor(files: IngressFiles) {
    this.#files = files;
  }

  get serving(): ProcessRecord | undefined {
    const record = this.#files.serving();
    return record !== undefined && isAlive(record) ? record : undefined;
  }

  get all(): ProcessRecord[] {
    const { serving } = this;
    return [...(serving ? [serving] : []), ...this.#files.leaving().filter(({ pid }) => pid !== serving?.pid)];
  }

  /** A process that has ended needs no routes; a new one reads them when it starts. */
  async told(record: ProcessRecord): Promise<void> {
    try {
      await order(record.control, 'apply');
    } catch (error) {
      // One that ends forgets itself first: an order that comes just then is cut.
      if (!this.all.some(({ pid }) => pid === record.pid)) return;
      if (!this.isDeaf(record) || record.pid === this.serving?.pid) throw error;
      // A signal still reaches it: no new connections, and half a minute instead of an hour for those that it has.
      signal(record, 'SIGTERM');
    }
  }

  /** In a deep home its socket lies in a short directory elsewhere, which a cleaner of temporary files may have removed. */
  isDeaf({ control }: ProcessRecord): boolean {
    const directory = dirname(control);
    return directory !== this.#files.directory && !isOwnDirectory(directory);
  }

  async ask(record: ProcessRecord, name: string, milliseconds?: number): Promise<unknown> {
    try {
      return await order(record.control, name, undefined, milliseconds);
    } catch {
      return undefined;
    }
  }

  /** Its holder starts another one, unless that was ended before. */
  async end(record: ProcessRecord, milliseconds = 0): Promise<void> {
    if (milliseconds > 0) await this.ask(record, 'stop');
    for (const deadline = Date.now() + milliseconds; isAlive(record) && Date.now() < deadline; ) await pause(20);
    signal(record, 'SIGKILL');
    while (isAlive(record)) await pause(10);
    this.#files.removeLeaving(record);
    this.#files.removeControl(record.control);
  }

  /** Their processes go on; what they hold is given back when the last of those closes it. */
  endHolders(): void {
    const needed = new Set(this.all.map((record) => record.holder?.pid));
    for (const holder of this.#files.holders()) {
      // With the whole group, a program ends too that hangs at its start.
      if (needed.has(holder.pid)) process.kill(holder.pid, 'SIGKILL');
      else signal(holder, 'SIGKILL');
      this.#files.removeHolder(holder);
    }
  }
}
