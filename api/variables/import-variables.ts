import { z } from 'zod';
import { comparedImport, importChanges, wantedVariables } from '../../db/change-sets/draft/import.ts';
import { servicesAmong } from '../../db/change-sets/draft/subjects.ts';
import { lockDraft, refuseChanged } from '../../db/change-sets/drafts.ts';
import { stage } from '../../db/change-sets/stage.ts';
import type { NewItem } from '../../db/change-sets/staging.ts';
import { itemRules } from '../../domain/change-sets/rules.ts';
import type { VariableValue } from '../../domain/change-sets/staging.ts';
import { buildTimes, isPublicByName } from '../../domain/variables/build-time.ts';
import { type EnvLine, looksSecret, parseEnvText } from '../../domain/variables/env-text.ts';
import { expectedRevision, placeOf } from '../change-sets/draft.ts';
import { invalidField, invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';

const mostVariables = 10_000;
const mostFaults = 100;

export const importedSchema = z
  .object({
    revision: z.int().describe('Of the draft, after the import.'),
    staged: z.boolean().describe('Whether something was staged.'),
    changes: z
      .array(
        z.object({
          key: z.string(),
          change: z.enum(importChanges),
          secret: z.boolean(),
          buildTime: z.enum(buildTimes),
          looksSecret: z.boolean().describe('It is not secret, and its key or its value says that it should be.'),
          looksPublic: z
            .boolean()
            .describe('It is neither secret nor seen by builds, and frameworks write what has such a name into pages.'),
          from: z.string().describe('Empty if it is secret or new.'),
          to: z.string().describe('Empty if it is secret or removed.'),
        }),
      )
      .describe('In the order of the text, then what is removed.'),
  })
  .meta({ id: 'ImportedVariables' });

export const importVariables = operation({
  method: 'POST',
  url: '/api/v1/environments/{id}/variables/import',
  summary: 'Stage the variables of an env file for a service or shared by all, all or none, and tell what they change',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'change-set-changed'],
  of: theEnvironment,
  body: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Absent: variables that the services share.'),
    text: z.string().meta({ writeOnly: true }).describe('`KEY=value`, a line each, as in `.env` files.'),
    secret: z
      .array(z.string().max(256))
      .max(mostVariables)
      .optional()
      .describe('The keys that are secret; others are as they were, or not secret.'),
    buildTime: z
      .record(z.string().max(256), z.enum(buildTimes))
      .optional()
      .describe('By key, whether builds see it; others are as they were, or of run time alone (`no`).'),
    replace: z.boolean().optional().describe('Unsets all others of the service, or all others that are shared.'),
    dryRun: z.boolean().optional().describe('Only tells what would change.'),
    expectedRevision,
  }),
  result: importedSchema,
  status: 200,
  async handle({ found: environment, caller, body, effect, server }) {
    const { serviceId, replace = false, dryRun = false } = body;
    if (serviceId !== undefined && !(await servicesAmong(effect.kysely, environment, [serviceId])).has(serviceId)) {
      const message = "is no service of this environment's project";
      throw invalidField('body.serviceId', message, serviceId);
    }
    const variables = readVariables(body.text);
    refuseStrangers(variables, 'secret', body.secret ?? []);
    refuseStrangers(variables, 'buildTime', Object.keys(body.buildTime ?? {}));
    const place = placeOf(environment);
    const draft = await lockDraft(effect, place);
    await refuseChanged(effect, place, draft, body.expectedRevision);
    const before = await wantedVariables(effect, server.keyring, place, draft.id, serviceId);
    const secret = new Set(body.secret);
    const buildTimeOf = new Map(Object.entries(body.buildTime ?? {}));
    const after = new Map(
      variables.map(({ key, value }): [string, VariableValue] => {
        const was = before.get(key);
        const buildTime = buildTimeOf.get(key) ?? was?.buildTime ?? 'no';
        return [key, { value, secret: secret.has(key) || was?.secret === true, buildTime }];
      }),
    );
    const changes = comparedImport(before, after, replace);
    const of = { serviceId: serviceId ?? null };
    const items = changes.flatMap(({ key, change }): NewItem[] => {
      if (change === 'unchanged') return [];
      if (change === 'removed') return [{ kind: 'variable.unset', ...of, key }];
      const to = after.get(key);
      if (to === undefined) return [];
      const { value, ...its } = to;
      return [{ kind: 'variable.set', ...of, key, to: value, ...its }];
    });
    const staged =
      dryRun || items.length === 0 ? draft : await stage(effect, server.keyring, place, items, caller.countsAs);
    return {
      revision: staged.revision,
      staged: staged.revision !== draft.revision,
      changes: changes.map((one) => ({
        ...one,
        looksSecret: !one.secret && one.change !== 'removed' && looksSecret(one.key, one.to),
        looksPublic: !one.secret && one.change !== 'removed' && one.buildTime === 'no' && isPublicByName(one.key),
      })),
    };
  },
});

/** Each fault with the line of the text: all are told, nothing is staged. */
function readVariables(text: string): EnvLine[] {
  const { variables, faults } = parseEnvText(text);
  const found = [
    ...faults,
    ...variables.flatMap(({ key, value, line }) => {
      const fault = itemRules['variable.set'].fault({ key, value });
      return fault === undefined ? [] : [{ line, message: `${key.slice(0, 60)}: ${fault.field} ${fault.message}` }];
    }),
  ].toSorted((one, other) => one.line - other.line);
  if (variables.length > mostVariables) {
    found.push({
      line: variables[mostVariables]?.line ?? 0,
      message: `at most ${mostVariables} variables are imported at once`,
    });
  }
  if (found.length > 0) {
    throw invalidFields(
      found
        .slice(0, mostFaults)
        .map(({ line, message }) => ({ location: 'body.text', message: `line ${line}: ${message}` })),
    );
  }
  if (variables.length > 0) return variables;
  throw invalidField('body.text', 'has no variables: write KEY=value, a line each');
}

function refuseStrangers(variables: readonly EnvLine[], field: 'secret' | 'buildTime', keys: readonly string[]): void {
  const there = new Set(variables.map(({ key }) => key));
  const strangers = keys.flatMap((key, index) => {
    if (there.has(key)) return [];
    const location = field === 'secret' ? `body.secret[${index}]` : `body.buildTime.${key}`;
    return [{ location, message: 'is not among the variables of the text', value: key }];
  });
  if (strangers.length > 0) throw invalidFields(strangers.slice(0, mostFaults));
}
