import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A file of lines for each client and each part of the checker, written as things happen: it is there, whatever ends the run. */
export class Journal {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }

  note(name: string, line: object): void {
    const text = JSON.stringify({ at: new Date().toISOString(), ...line });
    appendFileSync(join(this.directory, `${name}.jsonl`), `${text}\n`);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
