import { fileURLToPath } from 'node:url';
import { type AskProvider, providerIsReady } from '../../api/auth/built-in-provider.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import type { Home } from '../../runtime/home/home.ts';
import type { Part } from '../../runtime/supervisor/part.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

interface NodePart {
  name: 'api' | 'worker' | 'identity';
  title: string;
  home: Home;
  /** Asked for at each start. */
  env: () => Readonly<Record<string, string>>;
  ready: () => Promise<boolean>;
}

/** The API, the worker or the identity provider as a process of its own. It is told where everything is by its environment, as anywhere else. */
export function nodePart({ name, title, home, env, ready }: NodePart): Part {
  return {
    name,
    title,
    prepare: async () => {},
    command: () => ({
      file: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', main, name],
      env: { ...process.env, ...env() },
      cwd: home.path,
    }),
    ready,
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'error' });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

export async function answersReady(ask: AskProvider): Promise<boolean> {
  return await providerIsReady(ask, AbortSignal.timeout(2000)).catch(() => false);
}

/** Where this machine reaches the API, whatever address it listens on. */
export function localAddress({ LISTEN, PORT }: Pick<Settings, 'LISTEN' | 'PORT'>): string {
  const host = LISTEN === '0.0.0.0' ? '127.0.0.1' : LISTEN === '::' ? '::1' : LISTEN;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}
