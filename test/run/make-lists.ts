import { writeFileSync } from 'node:fs';
import { format } from 'node:util';
import { z } from 'zod';
import { type JsonSchema, resolved } from '../../api/engine/input/json-schema.ts';
import { namedOperations } from '../../api/engine/registry.ts';
import { operations } from '../../api/operations.ts';
import { declaredForeignKeys, keptForeignKeys } from '../../db/postgres/foreign-keys.ts';
import type { Bodies, FieldRule } from '../../web/control-plane/body.ts';

/**
 * What the forms of the console must know of the bodies of operations, as it stands in web/control-plane/bodies.json: the
 * console takes only types from the API.
 */
export function makeBodies(): string {
  const bodies: Bodies = {};
  for (const { name, operation } of namedOperations(operations)) {
    // A form may be no more than the button that asks for a secret.
    if (!operation.takesBody && operation.carriesSecret) bodies[name] = { fields: {}, secret: true };
    const body = operation.body instanceof z.ZodOptional ? operation.body.unwrap() : operation.body;
    if (!operation.takesBody || !(body instanceof z.ZodObject)) continue;
    const schema = z.toJSONSchema(body, { io: 'input' });
    const { properties = {}, required = [] } = resolved(schema, schema);
    const fields: Record<string, FieldRule> = {};
    for (const [field, type] of Object.entries(body.shape as Record<string, z.ZodType>)) {
      const rule = ruleOf(schema, properties[field] as JsonSchema, type);
      fields[field] = required.includes(field) ? { ...rule, required: true } : rule;
    }
    bodies[name] = { fields, ...(operation.carriesSecret ? { secret: true } : {}) };
  }
  return `${JSON.stringify(bodies, undefined, 1)}\n`;
}

const kept = ['enum', 'format', 'minLength', 'maxLength', 'minimum', 'maximum'] as const;

function ruleOf(root: JsonSchema, field: JsonSchema, type: z.ZodType): FieldRule {
  const whole = resolved(root, field);
  const choices = (whole.anyOf ?? []).map((one) => resolved(root, one as JsonSchema));
  const nullable = choices.some((one) => one.type === 'null');
  const schema = nullable ? (choices.find((one) => one.type !== 'null') ?? whole) : whole;
  const rule: Record<string, unknown> = { type: schema.type, ...(nullable ? { nullable } : {}) };
  for (const key of kept) if (schema[key] !== undefined) rule[key] = schema[key];
  // A format has a pattern of its own, which browsers check by their fields.
  if (schema.pattern !== undefined && schema.format === undefined) {
    rule.pattern = schema.pattern;
    const wrong = messageOf(type);
    if (wrong !== undefined) rule.wrong = wrong;
  }
  return rule as unknown as FieldRule;
}

/** The sentence with which the API refuses a text that does not match. */
function messageOf(type: z.ZodType): string | undefined {
  let inner: z.ZodType = type;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
    inner = inner.unwrap() as z.ZodType;
  }
  for (const check of inner.def.checks ?? []) {
    const { def } = check._zod;
    if (!('format' in def) || def.format !== 'regex' || def.error === undefined) continue;
    const said = def.error({ code: 'invalid_format', format: 'regex', input: '' } as never);
    return typeof said === 'string' ? said : format(said?.message);
  }
  return undefined;
}

/** `npm run lists`: what is kept of the code for those who cannot load it. Tests compare each. */
if (import.meta.main) {
  writeFileSync(new URL('../../web/control-plane/bodies.json', import.meta.url), makeBodies());
  writeFileSync(keptForeignKeys, await declaredForeignKeys());
}
