import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { hostileTrees } from '../../../test/builders/hostile-trees.ts';
import { removeFolder } from '../sandbox/mounts.ts';
import type { PackAnswer, PackRequest } from './pack-image.ts';

const program = fileURLToPath(new URL('./pack-image.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'ballast-pack-'));
afterAll(() => removeFolder(directory));

/** As after a build whose script that was: what the packer answers of it. */
async function pack(
  script: string,
  start: string,
  proposed: PackRequest['plan']['proposed'] = [],
): Promise<PackAnswer> {
  const place = mkdtempSync(join(directory, 'tree-'));
  const [source, into] = [join(place, 'source'), join(place, 'into')];
  for (const folder of [source, into]) mkdirSync(folder);
  writeFileSync(join(source, 'package.json'), JSON.stringify({ scripts: { start: 'node server.js' } }));
  writeFileSync(join(source, 'server.js'), '');
  execFileSync('sh', ['-e', '-c', script], { cwd: source });
  const request: PackRequest = {
    plan: { directory: '', keep: [''], drop: [], start, startIn: '', proposed },
    server: undefined,
    most: { bytes: 2 ** 28, files: 2_000 },
  };
  writeFileSync(join(place, 'request.json'), JSON.stringify(request));
  const words = ['--disable-warning=ExperimentalWarning', program, source, join(place, 'request.json'), into];
  await promisify(execFile)(process.execPath, words);
  return JSON.parse(readFileSync(join(into, 'answer.json'), 'utf8')) as PackAnswer;
}

// All of them, as builds leave them in a sandbox: ../hostile-trees.all.test.ts.
test.each(hostileTrees.filter(({ first }) => first))(
  '$what',
  async ({ script, start = 'npm start', refused, left }) => {
    const answer = await pack(script, start);
    if (refused === undefined)
      expect(answer).toMatchObject({
        entrypoint: expect.any(Array),
        left: left === undefined ? expect.any(Array) : [left],
      });
    else expect(answer).toEqual({ refused: expect.stringMatching(refused) });
    expect(JSON.stringify(answer)).not.toContain('TOP-SECRET');
  },
);

test('other lines are told as the image has to be told them', async () => {
  const proposed = [
    { name: 'release', line: 'npm run start' },
    { name: 'worker', line: 'node worker.js --all' },
    { name: 'clock', line: 'A=1 node clock.js' },
  ];
  const node = '/usr/local/bin/node';
  expect(await pack('true', 'npm start', proposed)).toMatchObject({
    entrypoint: [node, 'server.js'],
    proposed: [
      { name: 'release', command: [node, 'server.js'] },
      { name: 'worker', command: [node, 'worker.js', '--all'] },
      { name: 'clock', command: ['/bin/sh', '-c', expect.stringMatching(/&& A=1 exec node clock\.js$/)] },
    ],
  });
});

test('too many files', async () => {
  expect(await pack('mkdir d && cd d && seq 2000 | xargs touch', 'npm start')).toEqual({
    refused: expect.stringMatching(/^The build has left more than 2000 files; ".+" is one too many\.$/),
  });
});
