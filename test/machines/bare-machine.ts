import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notRun } from '../run/not-run.ts';

const executable = fileURLToPath(new URL('../../ballast', import.meta.url));
const absent = /^(go|gofmt|docker.*|containerd.*|temporal.*)$/;
/** Where Go is found without the PATH. */
const usualGo = ['/usr/local/go', '/opt/homebrew/bin/go', '/usr/local/bin/go'].filter((path) => existsSync(path));

/** The PATH of a machine that has Node, npm and git beside the system's own programs, and neither Go nor Docker. */
export function barePath(directory: string): string {
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  const found = new Set<string>();
  for (const folder of ['/usr/bin', '/bin', '/usr/sbin', '/sbin', ...(process.env.PATH ?? '').split(':')]) {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const own = folder.startsWith('/usr/') || folder.startsWith('/bin') || folder.startsWith('/sbin');
      if (found.has(name) || absent.test(name) || !(own || /^(node|npm|npx|git)$/.test(name))) continue;
      found.add(name);
      symlinkSync(join(folder, name), join(bin, name));
    }
  }
  return bin;
}

/**
 * `./ballast` as on a machine where no Go is installed: in a mount namespace that has nothing there. Answers undefined, and
 * says what is missing, where Go is installed and cannot be hidden.
 */
export function withoutGo(directory: string): string | undefined {
  if (usualGo.length === 0) return executable;
  const [go = '', ...others] = usualGo;
  try {
    if (others.length > 0 || go !== '/usr/local/go') throw new Error(usualGo.join(', '));
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', go], { stdio: 'ignore' });
  } catch {
    notRun('first hour', 'run as root where mount namespaces are allowed, or remove Go');
    return undefined;
  }
  const script = join(directory, 'ballast');
  const hidden = `mount -t tmpfs none ${go} && exec "$0" "$@"`;
  writeFileSync(script, `#!/bin/sh\nexec unshare -m sh -c '${hidden}' ${executable} "$@"\n`, { mode: 0o755 });
  return script;
}
