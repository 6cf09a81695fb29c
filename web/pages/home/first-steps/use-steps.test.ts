import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { adminSteps } from './use-steps.ts';

const nothing = { organization: 'acme', clusters: [], members: 1, invitations: 0, tokens: 0 };
const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** Settings and descriptions that a command is given. */
const files = /\bballast [a-z][^`'"\n]*?([\w./-]+\.(?:ya?ml|json|toml))/g;

test('something is run by a new project, and that is done when a cluster has a workload', () => {
  const running = (workloads: number) =>
    adminSteps({ ...nothing, clusters: [{ summary: { workloads } as never }] }).find(
      ({ title }) => title === 'Run something',
    );
  expect(running(0)).toMatchObject({
    done: false,
    go: { label: 'New project', link: { to: '/$organization/new-project', params: { organization: 'acme' } } },
  });
  expect(running(1)?.done).toBe(true);
});

test('no command that the console shows names a file that is not in the tree', () => {
  const absent: string[] = [];
  for (const page of globSync('web/pages/**/*.{ts,tsx}', { cwd: root })) {
    for (const [, file = ''] of readFileSync(join(root, page), 'utf8').matchAll(files)) {
      if (!existsSync(join(root, file))) absent.push(`${page}: ${file}`);
    }
  }
  expect(absent).toEqual([]);
});
