import { z } from 'zod';
import { type Command, command } from '../../protocol/command.ts';
import { type Desired, slice, sliceKey } from '../../protocol/desired.ts';
import { type LogReaders, logReaders } from '../../protocol/logs.ts';
import { LinkFailure } from './link-failure.ts';

export interface ReadWork {
  desired?: Desired;
  commands: Command[];
  /** Commands that this version does not understand. */
  strange: { id: string; attempt: number }[];
  cancelled: string[];
  logs?: LogReaders;
}

const broken = z.object({ key: sliceKey, revision: z.int().min(1), error: z.string() });
const outline = z.object({
  desired: z
    .object({
      revision: z.int().min(0),
      slices: z.array(z.unknown()),
      broken: z.array(broken),
      removed: z.array(sliceKey),
    })
    .optional(),
  commands: z.array(z.unknown()),
  cancelled: z.array(z.uuid()),
  logs: z.unknown().optional(),
});
const namedSlice = z.object({ key: sliceKey, revision: z.int().min(1) });
const namedCommand = z.object({ id: z.uuid(), attempt: z.int().min(1) });

/** Reads slice by slice and command by command, so that one that is not understood is no obstacle for the others. */
export function readWork(text: string): ReadWork {
  try {
    const { desired, commands, cancelled, logs } = outline.parse(JSON.parse(text));
    const read: ReadWork = { commands: [], strange: [], cancelled };
    for (const one of commands) {
      const known = command.safeParse(one);
      if (known.success) read.commands.push(known.data);
      else read.strange.push(namedCommand.parse(one));
    }
    if (desired !== undefined) read.desired = readDesired(desired);
    const readers = logReaders.safeParse(logs).data;
    if (readers !== undefined) read.logs = readers;
    return read;
  } catch {
    throw new LinkFailure(
      'unreachable',
      'The control plane sent work in a form that this agent cannot read; update it.',
    );
  }
}

function readDesired(desired: NonNullable<z.infer<typeof outline>['desired']>): Desired {
  const read: Desired = { ...desired, slices: [], broken: [...desired.broken] };
  for (const one of desired.slices) {
    const known = slice.safeParse(one);
    if (known.success) {
      read.slices.push(known.data);
      continue;
    }
    const { key, revision } = namedSlice.parse(one);
    const [issue] = known.error.issues;
    // Where, not what: values may be secrets.
    const where = issue?.path.join('.') ?? 'somewhere';
    read.broken.push({
      key,
      revision,
      error: `This version of the agent does not understand ${where}; update the agent.`,
    });
  }
  return read;
}
