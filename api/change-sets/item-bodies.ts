import { z } from 'zod';
import { mostVariableBytes } from '../../domain/change-sets/rules.ts';
import { processRules, serviceRules } from '../../domain/services/field-rules.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';

const id = z.guid().toLowerCase();
const key = z.string().min(1).max(256);
const mayBeShared = id
  .optional()
  .describe('Absent: a variable of the environment, which its services refer to as `shared.KEY`.');

const seen = z
  .strictObject({ itemId: id.optional(), updatedAt: z.iso.datetime().optional() })
  .optional()
  .describe(
    'What the client saw of the variable: its `itemId` where a change of it was staged, else its `updatedAt`; `{}` if there was none. If it is another by now, the answer is 409.',
  );

/** Of what has a value and no more: a file, or a setting. */
function seenAs(value: z.ZodType, what: string) {
  return z
    .strictObject({ value: value.optional() })
    .optional()
    .describe(
      `What the client saw, staged or applied: ${what}; \`{}\` if there was none. If it is another by now, the answer is 409.`,
    );
}

const seenFile = seenAs(z.string().max(256), 'the variable that the file was made of');
const seenSetting = seenAs(z.unknown(), 'the whole value of this setting');

const path = z.string().min(1).max(1024).describe('Absolute, or from the directory that the program works in.');

function keysOf<Rules extends object>(rules: Rules) {
  const [first, ...rest] = Object.keys(rules) as (keyof Rules & string)[];
  if (first === undefined) throw new Error('A table of rules is empty.');
  return z.enum([first, ...rest]);
}

export const itemBody = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('variable.set'),
    serviceId: mayBeShared,
    key,
    value: z.string().max(mostVariableBytes, 'must have at most 128 kB').meta({ writeOnly: true }),
    secret: z
      .boolean()
      .optional()
      .describe(
        'A secret value is stored encrypted and never answered. By default as the variable was, or not secret.',
      ),
    buildTime: z
      .enum(buildTimes)
      .optional()
      .describe(
        'Whether builds see it: `no`, of run time alone; `also`; `only`, and no release has it. By default as the variable was, or `no`.',
      ),
    seen,
  }),
  z.strictObject({ kind: z.literal('variable.unset'), serviceId: mayBeShared, key, seen }),
  z.strictObject({
    kind: z.literal('service.set'),
    serviceId: id,
    key: keysOf(serviceRules),
    value: z.unknown().describe('The whole new value of this setting.'),
    seen: seenSetting,
  }),
  z.strictObject({ kind: z.literal('service.create'), serviceId: id }).describe('Adds a service of the project.'),
  z.strictObject({ kind: z.literal('service.remove'), serviceId: id }).describe('Removes it from this environment.'),
  z.strictObject({
    kind: z.literal('process.create'),
    serviceId: id,
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must begin with a letter and be of small letters, digits and dashes'),
    settings: z.partialRecord(keysOf(processRules), z.unknown()).optional(),
  }),
  z.strictObject({
    kind: z.literal('process.set'),
    processId: id,
    key: keysOf(processRules),
    value: z.unknown().describe('Null removes what a process need not have.'),
    seen: seenSetting,
  }),
  z.strictObject({ kind: z.literal('process.delete'), processId: id }),
  z.strictObject({
    kind: z.literal('volume.create'),
    processId: id,
    key: key.describe('The name of the volume.'),
    value: z.unknown().describe('`mountPath`, `sizeBytes`, and `storageClass`, which is empty.'),
  }),
  z.strictObject({ kind: z.literal('volume.grow'), volumeId: id, value: z.unknown().describe('The size in bytes.') }),
  z.strictObject({ kind: z.literal('volume.delete'), volumeId: id }),
  z
    .strictObject({
      kind: z.literal('file.set'),
      serviceId: id,
      key: path,
      value: z.string().min(1).max(256).describe('The variable of the service that is the content of the file.'),
      seen: seenFile,
    })
    .describe('Puts a file into the instances of the service.'),
  z.strictObject({ kind: z.literal('file.unset'), serviceId: id, key: path, seen: seenFile }),
]);
export type ItemBody = z.output<typeof itemBody>;
