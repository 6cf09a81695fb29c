import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Limits } from '../../agent/builders/sandbox/limits.ts';
import { until } from '../ground/until.ts';
import type { BuilderGround } from './builder-ground.ts';
import { processesWith } from './processes-with.ts';

const newMark = () => `mark-${randomUUID()}`;

export const app = (build: string, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify({ name: 'app', scripts: { build, start: 'node server.js' } }),
  'server.js': "require('http').createServer((q, a) => a.end('hello')).listen(process.env.PORT)",
  ...more,
});

/** Expectations of whatever builds: of log, steps, digest, failures, secrets and cancelling. */
export function builderContract(name: string, groundOf: () => BuilderGround): void {
  const stepsOf = (progress: Awaited<ReturnType<BuilderGround['build']>>['progress']) =>
    progress.findLast((one) => one.steps !== undefined)?.steps ?? [];

  test(`${name}: what is built is told as it goes, pushed last, and the same sources have the same digest`, async () => {
    const source = app('node build.js', {
      'build.js': "require('fs').writeFileSync('made.txt', 'made'); console.log('zażółć')",
    });
    const built = await groundOf().build(source);
    expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
    expect(built.log).toMatch(/\n(#\d+ )?zażółć\n/);
    const steps = stepsOf(built.progress);
    expect(steps.map((step) => step.name)).toEqual(
      expect.arrayContaining(['fetch', 'detect', 'build', 'image', 'push']),
    );
    expect(
      steps.every(({ status, startedAt, finishedAt = '' }) => status === 'succeeded' && startedAt <= finishedAt),
    ).toBe(true);
    expect(built.progress.find(({ detection }) => detection)?.detection).toMatchObject({ provider: 'node' });
    expect(built.progress.at(-1)).toEqual({ image: { digest: built.digest } });
    expect((await groundOf().build(source)).digest).toBe(built.digest);
    expect(groundOf().left()).toEqual([]);
  });

  test(`${name}: a failure names the step, how it ended, what to do, and its last lines`, async () => {
    const { result, progress } = await groundOf().build(app('echo compiling; node --eval "require(\'left-pad\')"'));
    expect(result.outcome).toBe('failed');
    expect(result.message).toMatch(/^The step build failed: .*exited with code 1\. left-pad is not there: add it/);
    expect(result.message).toContain("Error: Cannot find module 'left-pad'");
    expect(stepsOf(progress)).toContainEqual(expect.objectContaining({ name: 'build', status: 'failed' }));
    expect(groundOf().left()).toEqual([]);
  });

  test(`${name}: what cannot be built says why`, async () => {
    const nothing = await groundOf().build({ 'notes.txt': 'nothing' });
    expect(nothing.result.message).toMatch(/^The step detect failed: Nothing that can be built was found/);
    const far = await groundOf().build(app('true'), { body: { context: '../..' } });
    expect(far.result.message).toMatch(/^The step detect failed: The context/);
  });

  test(`${name}: commands see the variables of the service, and secrets are told nowhere`, async () => {
    const body = { variables: { PLAIN: 'plain value', TOKEN: 'open-sesame-123' }, secrets: ['TOKEN'] };
    const { result, log, progress } = await groundOf().build(app('echo "$PLAIN $TOKEN"; exit 4'), { body });
    expect(log).toContain('plain value [secret]');
    expect(result.message).toContain('plain value [secret]');
    for (const told of [log, JSON.stringify([result, progress])]) expect(told).not.toContain('open-sesame-123');
  });

  test(`${name}: cancelled, it leaves no process and no folder, and builds again`, async () => {
    const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
    const stopping = new AbortController();
    const { result, progress } = await groundOf().build(app(`echo begun; sleep ${mark} & sleep ${mark}`), {
      signal: stopping.signal,
      onLog: (text) => void (/(^|\n)(#\d+ )?begun\n/.test(text) && stopping.abort()),
    });
    expect(result).toEqual({ outcome: 'cancelled' });
    expect(stepsOf(progress).at(-1)).toMatchObject({ status: 'cancelled' });
    await until('its processes are gone', async () => processesWith(`sleep ${mark}`).length === 0);
    expect(groundOf().left()).toEqual([]);
    expect((await groundOf().build(app('true'))).result.outcome).toBe('done');
  });

  test(`${name}: cancelled, no process is left of a tree that hears no signal, has left its parents and holds a file`, async () => {
    const mark = newMark();
    const stopping = new AbortController();
    let asked = 0;
    const { result } = await groundOf().build(app('sh tree.sh', { 'tree.sh': treeOf(mark) }), {
      signal: stopping.signal,
      onLog(text) {
        if (!/(^|\n)(#\d+ )?grown\n/.test(text)) return;
        asked = performance.now();
        stopping.abort();
      },
    });
    expect(result).toEqual({ outcome: 'cancelled' });
    const ended = performance.now();
    await until('its processes are gone', async () => processesWith(mark).length === 0);
    const after = [ended, performance.now()].map((at) => Math.round(at - asked));
    process.stdout.write(
      `${name}: a cancelled build has ended after ${after[0]} ms, its processes after ${after[1]} ms\n`,
    );
    expect(groundOf().left()).toEqual([]);
  });

  const overruns: { what: string; build(mark: string): string; limits: Partial<Limits>; told: RegExp }[] = [
    {
      what: 'memory',
      build: (mark) => `node -e "for (const all = []; ; ) all.push(Buffer.alloc(2 ** 24, 1))" ${mark}`,
      limits: { memoryBytes: 2 ** 28 },
      told: /^The step build failed: the build used more than 256 MB of memory, its limit; /,
    },
    {
      what: 'processes',
      build: (mark) => `bomb() { sh -c 'sleep 300' ${mark} & bomb & bomb & }; bomb; sleep 300`,
      limits: { processes: 100 },
      told: /^The step build failed: the build started more than 100 processes and threads at a time, its limit; /,
    },
    {
      what: 'room on the disk',
      build: (mark) =>
        `node -e "for (let file = 0; ; file += 1) require('fs').writeFileSync('/tmp/' + file, Buffer.alloc(2 ** 22, 1))" ${mark}`,
      limits: { diskBytes: 2 ** 26 },
      told: /^The step build failed: the build wrote more than 64 MB to disk, its limit; /,
    },
  ];
  test.each(overruns)(
    `${name}: a build that takes $what without end is ended with a sentence, and the next one succeeds`,
    async ({ build, limits, told }) => {
      const mark = newMark();
      const body = { limits: { ...groundOf().body().limits, ...limits } };
      const { result, log } = await groundOf().build(app(build(mark)), { body });
      expect(result.message, log).toMatch(told);
      await until('its processes are gone', async () => processesWith(mark).length === 0);
      expect(groundOf().left()).toEqual([]);
      expect((await groundOf().build(app('true'))).result).toMatchObject({ outcome: 'done' });
    },
  );
}

/** Each process ignores the signals of a polite end, and all but the first have lost their parents and their sessions. */
function treeOf(mark: string): string {
  const one = `trap '' TERM HUP INT QUIT; exec 3>held; while :; do sleep 1 3>&3; done`;
  const program = `const { spawn } = require('child_process');
    for (const _ of [1, 2, 3]) spawn('sh', ['-c', ${JSON.stringify(one)}, '${mark}'], { detached: true, stdio: 'ignore' }).unref();`;
  return `trap '' TERM HUP INT QUIT
cat > leave.js <<'end'
${program}
end
(node leave.js '${mark}' &) &
while [ ! -e held ]; do sleep 0.1; done
echo grown
while :; do sleep 1; done
`;
}
