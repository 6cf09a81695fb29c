import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../ground/until.ts';

export interface PortThief {
  pid: number;
  /** The addresses and ports that it got, such as `127.0.0.1 8088`. */
  got(): string[];
  end(): Promise<void>;
}

const program = fileURLToPath(new URL('port-thief-program.ts', import.meta.url));

/** Another user's process that takes these ports as soon as nobody else has them. */
export async function portThief(ports: readonly number[]): Promise<PortThief> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...ports.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exited = once(child, 'exit');
  await until('the thief tries', async () => said.includes('trying\n') && child.exitCode === null);
  return {
    pid: child.pid ?? 0,
    got: () => [...said.matchAll(/^got (.+)$/gm)].map(([, name = '']) => name),
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
