import { templateNames } from '../env-template/parse.ts';
import type { Port } from './outcome.ts';
import { type Source, within } from './source.ts';

const inCommand = [
  /(?:^|\s)(?:-p|--port)[ =]["']?(\d{2,5})\b/,
  /(?:^|\s)PORT=["']?(\d{2,5})\b/,
  /-[bl]\s+[\w.[\]]*:(\d{2,5})\b/,
];
const inEnvironment = /^[ \t]*(?:export[ \t]+)?PORT[ \t]*=[ \t]*["']?(\d{2,5})\b/m;

/** The port that a command line demands: PORT says nothing to it then. */
export function portOfCommand(command: string, portSource: string): Port | undefined {
  return matched(command, inCommand, portSource);
}

/** The port that the template of the environment names, in a folder or the one above. */
export function portOfTemplate(source: Source, folders: readonly string[]): Port | undefined {
  for (const folder of folders) {
    for (const name of templateNames) {
      const found = matched(source.text(within(folder, name)), [inEnvironment], 'environment');
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The first port that one of the files names in one of the ways in which such programs do. */
export function portOfSource(source: Source, files: readonly string[], ways: readonly RegExp[]): Port | undefined {
  for (const file of files) {
    const found = matched(source.text(file), ways, 'source');
    if (found !== undefined) return found;
  }
  return undefined;
}

function matched(text: string, ways: readonly RegExp[], portSource: string): Port | undefined {
  for (const way of ways) {
    const port = Number(way.exec(text)?.[1]);
    if (port > 0 && port < 65_536) return { port, portSource };
  }
  return undefined;
}
