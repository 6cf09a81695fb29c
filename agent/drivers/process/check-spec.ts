import { posix } from 'node:path';
import { z } from 'zod';
import { sliceKey } from '../../../protocol/desired.ts';
import { digest, partName } from '../../../protocol/workload.ts';
import { Refusal } from '../../program/refusal.ts';
import type { InstanceSpec } from '../driver.ts';
import { filesOf } from '../instance-file.ts';

export const instanceId = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$/);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/);

/** Names become paths and arguments here, so they are checked again. */
export function checkSpec(spec: InstanceSpec): void {
  check(instanceId, spec.id, 'an instance');
  check(sliceKey, spec.key, 'a workload');
  check(digest, spec.image.digest, 'an image');
  for (const [name, value] of Object.entries(spec.environment)) {
    check(variable, name, 'a variable');
    if (value.includes('\0')) throw new Refusal(`The variable ${name} contains a zero byte; remove it.`);
  }
  for (const argument of [...spec.process.command, ...spec.process.args])
    if (argument.includes('\0')) throw new Refusal('An argument contains a zero byte; remove it.');
  filesOf(spec);
  for (const { name, path } of spec.volumes) {
    check(partName, name, 'a volume');
    if (
      !path.startsWith('/') ||
      path === '/' ||
      posix.normalize(path).replace(/\/$/, '') !== path.replace(/\/$/, '') ||
      path.includes('\0')
    )
      throw new Refusal(`The volume ${name} cannot be mounted at ${JSON.stringify(path)}: name a plain absolute path.`);
  }
}

function check(schema: z.ZodType, value: string, what: string): void {
  if (!schema.safeParse(value).success) throw new Refusal(`${JSON.stringify(value)} cannot be the name of ${what}.`);
}
