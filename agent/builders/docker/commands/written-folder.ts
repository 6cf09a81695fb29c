import { join } from 'node:path';
import { contentOf } from '../../sandbox/content.ts';
import { seen } from '../builder/container.ts';

/**
 * Where a command keeps what it writes: the upper folder of its root, which lies within the builder. Undefined for engines that store
 * layers without one.
 */
export function writtenFolder(id: string, pid: number, builder: number): string | undefined {
  const upper = upperFolder(id, contentOf(`/proc/${pid}/mountinfo`));
  return upper === undefined ? undefined : join(seen.root(builder), upper);
}

/** Before `runc` has entered its root, that is one mount of many; afterwards it is the root itself. */
export function upperFolder(id: string, mountinfo: string): string | undefined {
  const mounts = mountinfo.split('\n').map((line) => line.split(' '));
  const found =
    mounts.find(([, , , , at]) => at?.endsWith(`/${id}/rootfs`)) ?? mounts.find(([, , , , at]) => at === '/');
  const options = found?.at(-1)?.split(',') ?? [];
  const upper = options.find((option) => option.startsWith('upperdir='))?.slice('upperdir='.length);
  // Signs that a line of mounts has no room for are written as octal numbers.
  return upper?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
