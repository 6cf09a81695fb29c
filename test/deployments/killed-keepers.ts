import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Desired } from '../../protocol/desired.ts';
import type { DiesWhen, DyingKeeper } from './dying-keeper.ts';

const program = fileURLToPath(new URL('dying-keeper.ts', import.meta.url));
/** More than any rollout writes. */
const most = 40;

/** Has one keeper after another bring the machine to what is wanted, each killed at a write. Answers where each was killed. */
export async function killedKeepers(home: string, wanted: Desired, dies: DiesWhen): Promise<string[]> {
  const killedAt: string[] = [];
  while (killedAt.length < most) {
    const at = await killedOnce({ home, wanted, dies });
    if (at === 'over') return killedAt;
    killedAt.push(at);
  }
  throw new Error(`${most} keepers did not bring it to an end: ${killedAt.join(', ')}`);
}

async function killedOnce(order: DyingKeeper): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said = text(child.stdout);
  const ended = once(child, 'exit');
  child.stdin.end(JSON.stringify(order));
  const [code, signal] = await ended;
  if (signal !== 'SIGKILL') throw new Error(`A keeper ended by itself, with ${code ?? signal}: ${await said}`);
  return (await said).trim();
}
