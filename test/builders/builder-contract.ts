import { expect, test } from 'vitest';
import { until } from '../ground/until.ts';
import type { BuilderGround } from './builder-ground.ts';
import { processesWith } from './processes-with.ts';

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
}
