import type { z } from 'zod';
import { inputSchema, type JsonSchema, resolved } from './json-schema.ts';

/**
 * Whether what stands at a place in the request is a secret, is within one or may hold one. A secret is a field whose
 * schema says `writeOnly` (`z.string().meta({ writeOnly: true })`, which openapi.json shows as well).
 */
export function isSecretAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  const root = inputSchema(schema);
  let current: JsonSchema[] = [root];
  for (const step of path) {
    current = current.flatMap((one) => alternatives(root, one)).flatMap((one) => within(one, step));
    if (current.some((one) => one.writeOnly === true)) return true;
  }
  return current
    .flatMap((one) => alternatives(root, one))
    .some((one) => JSON.stringify(one).includes('"writeOnly":true'));
}

function alternatives(root: JsonSchema, schema: JsonSchema): JsonSchema[] {
  const itself = resolved(root, schema);
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const further = itself === schema ? inner : [...inner, itself];
  return [
    schema,
    ...further.filter((one): one is JsonSchema => typeof one === 'object').flatMap((one) => alternatives(root, one)),
  ];
}

function within(schema: JsonSchema, step: PropertyKey): JsonSchema[] {
  const items = Array.isArray(schema.items) ? schema.items[0] : schema.items;
  const found =
    typeof step === 'number'
      ? (schema.prefixItems?.[step] ?? items)
      : (schema.properties?.[String(step)] ?? schema.additionalProperties);
  return typeof found === 'object' ? [found] : [];
}
