import type { CommandBody } from '../../protocol/command.ts';
import type { Driver } from '../drivers/driver.ts';
import type { RunResult } from './run.ts';

interface Machine {
  driver: Driver;
  mountsOf(key: string): ReadonlySet<string>;
}

/** Deletes volumes of a workload that nothing mounts. Those that are not there are deleted already. */
export async function deleteVolumes(
  { key, volumes }: Extract<CommandBody, { kind: 'delete-volumes' }>,
  { driver, mountsOf }: Machine,
): Promise<RunResult> {
  const there = (await driver.volumes.list()).filter((one) => one.key === key).map(({ name }) => name);
  const doomed = volumes === undefined ? there : there.filter((name) => volumes.includes(name));
  const wanted = mountsOf(key);
  const running = (await driver.list()).filter((one) => one.key === key && one.state !== 'ended');
  for (const name of doomed) {
    const instance = running.find(({ process }) => process.mounts.some(({ volume }) => volume === name));
    if (wanted.has(name) || instance !== undefined) {
      const by = instance === undefined ? `the workload ${key}` : `the instance ${instance.id}`;
      return {
        outcome: 'failed',
        message: `The volume ${name} is mounted by ${by}: it is deleted when that has ended.`,
      };
    }
  }
  for (const name of doomed) await driver.volumes.remove(key, name);
  return { outcome: 'done', exitCode: 0 };
}
