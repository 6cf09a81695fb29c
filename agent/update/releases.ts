import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../machine/files.ts';

/**
 * Which release runs, which one is to be tried, and which one came back: one file that agent and launcher replace by
 * renaming. Lines of `name=value`, so that a shell can read it.
 */
export interface ReleaseState {
  current: string;
  previous?: string;
  /** To be tried: the first 12 digits of its digest. */
  next?: { release: string; seconds: number; command: string; tries: number };
  /** This one was tried, and `current` came back. */
  returned?: { release: string; reason: string; command: string };
}

export class Releases {
  readonly directory: string;

  constructor(home: string) {
    this.directory = join(home, 'releases');
  }

  path(release: string): string {
    return join(this.directory, release);
  }

  /** Nothing if the agent was not installed from a bundle. */
  read(): ReleaseState | undefined {
    const path = join(this.directory, 'state');
    if (!existsSync(path)) return undefined;
    const lines = new Map(
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line): [string, string] => {
          const at = line.indexOf('=');
          return [line.slice(0, at), line.slice(at + 1)];
        }),
    );
    const text = (name: string) => lines.get(name) ?? '';
    const [previous, next, returned] = [text('previous'), text('next'), text('returned')];
    return {
      current: text('current'),
      ...(previous === '' ? {} : { previous }),
      ...(next === ''
        ? {}
        : {
            next: {
              release: next,
              seconds: Number(text('seconds')),
              command: text('command'),
              tries: Number(text('tries')),
            },
          }),
      ...(returned === ''
        ? {}
        : { returned: { release: returned, reason: text('reason'), command: text('returned_command') } }),
    };
  }

  write({ current, previous, next, returned }: ReleaseState): void {
    const lines = [`current=${current}`];
    if (previous !== undefined) lines.push(`previous=${previous}`);
    if (next !== undefined) {
      lines.push(`next=${next.release}`, `seconds=${next.seconds}`, `command=${next.command}`, `tries=${next.tries}`);
    }
    if (returned !== undefined) {
      lines.push(
        `returned=${returned.release}`,
        `reason=${returned.reason.replaceAll('\n', ' ')}`,
        `returned_command=${returned.command}`,
      );
    }
    writeFileAtomically(join(this.directory, 'state'), `${lines.join('\n')}\n`);
  }

  /** The control plane answered the hello of the release that is being tried: it stays. */
  confirm(running: string): void {
    const state = this.read();
    if (state?.next?.release !== running) return;
    this.write({ current: running, previous: state.current });
  }

  /** Deletes what neither runs nor could come back. */
  clear(): void {
    const state = this.read();
    if (state === undefined) return;
    const kept = new Set([state.current, state.previous, state.next?.release]);
    for (const name of readdirSync(this.directory)) {
      if (/^[0-9a-f]{12}(\.part|\.draft)?$/.test(name) && !kept.has(name)) {
        rmSync(join(this.directory, name), { recursive: true, force: true });
      }
    }
  }
}
