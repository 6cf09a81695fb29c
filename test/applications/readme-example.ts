import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { runShell } from '../installation/ballast-command.ts';
import type { Installation } from '../installation/installation.ts';

/** Runs the README's commands for its example as they stand, and opens the address that they print. */
export async function readmeExample(installation: Installation, ingressPort: number): Promise<void> {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const block = [...readme.matchAll(/```sh\n(.*?)```/gs)].find(([, text]) => text?.includes('image build'))?.[1] ?? '';
  expect(block.split('\n').filter((line) => line !== '')).toHaveLength(3);
  const { code, stdout, stderr } = await runShell(block, { ...installation.env, BALLAST_URL: installation.url });
  expect([code, stderr]).toEqual([0, expect.stringContaining('hello is in effect')]);
  const address = new URL(/^hello .*(http:\/\/\S+)$/m.exec(stdout)?.[1] ?? '');
  expect(address.port).toBe(String(ingressPort));
  const answered = await through(`http://127.0.0.1:${ingressPort}`, address.host);
  expect(answered).toEqual({ status: 200, body: 'Hello from an example\n' });
}
