import { type Html, html, prose } from '../../pages/html.ts';
import type { JsonSchema } from '../engine/input/json-schema.ts';

export type Schemas = Readonly<Record<string, unknown>>;

/** The fields of a schema as a table; those of objects within it are indented beneath. */
export function fieldTable(schema: JsonSchema, schemas: Schemas): Html {
  const rows = fieldRows(schema, schemas, '', 0);
  if (rows.length === 0) return html`<p class="type">${typeOf(schema)}</p>`;
  return html`<table>${rows}</table>`;
}

function fieldRows(schema: JsonSchema, schemas: Schemas, prefix: string, depth: number): Html[] {
  const whole = objectOf(schema, schemas);
  if (whole === undefined || depth > 4) return [];
  const required = new Set(whole.required ?? []);
  return Object.entries(whole.properties ?? {}).flatMap(([name, field]) => {
    if (typeof field !== 'object') return [];
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const isList = field.type === 'array';
    const inner = isList && typeof field.items === 'object' && !Array.isArray(field.items) ? field.items : field;
    return [
      html`<tr><td><code>${path}${isList ? '[]' : ''}</code>${required.has(name) ? html` <b title="required">*</b>` : ''}</td>
<td class="type">${typeOf(field)}</td><td>${prose(field.description ?? '')}${limits(field)}</td></tr>`,
      ...fieldRows(inner as JsonSchema, schemas, `${path}${isList ? '[]' : ''}`, depth + 1),
    ];
  });
}

/** The object behind references and combinations, or undefined for what has no fields. */
function objectOf(schema: JsonSchema, schemas: Schemas): JsonSchema | undefined {
  const target = named(schema.$ref, schemas);
  if (target !== undefined) return objectOf(target, schemas);
  if (schema.allOf !== undefined) {
    const whole: JsonSchema = { properties: {}, required: [] };
    for (const part of schema.allOf) {
      const found = typeof part === 'object' ? objectOf(part, schemas) : undefined;
      whole.properties = { ...whole.properties, ...found?.properties };
      whole.required = [...(whole.required ?? []), ...(found?.required ?? [])];
    }
    return whole;
  }
  return schema.properties === undefined ? undefined : schema;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

function named(reference: string | undefined, schemas: Schemas): JsonSchema | undefined {
  const found = schemas[reference?.replace('#/components/schemas/', '') ?? ''];
  return isSchema(found) ? found : undefined;
}

export function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const items = schema.items;
  if (schema.type === 'array' && typeof items === 'object' && !Array.isArray(items)) {
    return `array of ${typeOf(items as JsonSchema)}`;
  }
  return [schema.type ?? 'any', schema.format].filter((part) => part !== undefined).join(', ');
}

function limits(schema: JsonSchema): Html | string {
  const known = [
    ['at least', schema.minimum],
    ['at most', schema.maximum],
    ['characters at least', schema.minLength],
    ['characters at most', schema.maxLength],
    ['items at most', schema.maxItems],
    ['default', schema.default],
  ].filter(([, value]) => value !== undefined && Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER);
  if (known.length === 0) return '';
  return html`<p class="limits">${known.map(([what, value]) => `${what} ${JSON.stringify(value)}`).join('; ')}</p>`;
}
