import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the package npm on this machine, by the program in the agent's PATH or beside its Node. */
export function machineNpm(path = process.env.PATH ?? ''): string | undefined {
  const beside = join(dirname(process.execPath), 'npm');
  const usual = ['/usr/local/bin/npm', '/usr/bin/npm', '/usr/share/nodejs/npm/bin/npm-cli.js'];
  const named = path.split(':').flatMap((directory) => (directory.startsWith('/') ? [join(directory, 'npm')] : []));
  for (const program of [beside, ...named, ...usual]) {
    const found = packageOf(program);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `npm` is a link to `npm/bin/npm-cli.js`; anything else is a program of somebody's own. */
function packageOf(program: string): string | undefined {
  try {
    const folder = dirname(dirname(realpathSync(program)));
    const { name }: { name?: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return name === 'npm' && existsSync(join(folder, 'bin', 'npm-cli.js')) ? folder : undefined;
  } catch {
    return undefined;
  }
}
