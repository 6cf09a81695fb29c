import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const inputs = new WeakMap<z.ZodType, JsonSchema>();

/** The JSON Schema of what a schema takes in, made once. */
export function inputSchema(schema: z.ZodType): JsonSchema {
  let made = inputs.get(schema);
  if (made === undefined) {
    made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    inputs.set(schema, made);
  }
  return made;
}

/** Resolves a `$ref` within the schema's own `$defs`. */
export function resolved(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  const found = name === undefined ? undefined : root.$defs?.[name];
  if (typeof found === 'object') return found;
  return schema.$ref === '#' ? root : schema;
}
