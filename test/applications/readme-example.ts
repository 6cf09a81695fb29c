import { readFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import type { CommandResult } from '../installation/ballast-command.ts';

/** A place to paste commands of the README into. */
interface Shell {
  shell(script: string): Promise<CommandResult>;
}

/** The README's block of commands that has this in it, as it stands there. */
export function readmeCommands(part: string): string {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text);
  const found = blocks.find((text) => text.includes(part));
  if (found === undefined) throw new Error(`README.md has no commands with "${part}".`);
  return found;
}

/** Runs the README's commands for its example as they stand, and opens the address that they print. Answers its host. */
export async function readmeExample(at: Shell, ingressPort: number): Promise<string> {
  // Written by an earlier installation, which knew other projects.
  rmSync(new URL('../../examples/hello/.ballast', import.meta.url), { recursive: true, force: true });
  const block = readmeCommands('ballast deploy');
  expect(block.split('\n').filter((line) => line !== '')).toHaveLength(2);
  const { code, stdout, stderr } = await at.shell(block);
  expect([code, stderr]).toEqual([0, expect.stringContaining('hello is live: release 1')]);
  const address = new URL(/^(http:\/\/\S+)$/m.exec(stdout)?.[1] ?? '');
  expect(address.port).toBe(String(ingressPort));
  const answered = await through(`http://127.0.0.1:${ingressPort}`, address.host);
  expect(answered).toEqual({ status: 200, body: 'Hello from Ballast\n' });
  return address.host;
}
