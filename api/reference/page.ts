import { type Html, html, prose } from '../../pages/html.ts';
import type { JsonSchema } from '../engine/input/json-schema.ts';
import type { OpenapiDocument, OpenapiOperation } from '../engine/openapi/document.ts';

type Schemas = Readonly<Record<string, unknown>>;

/** The fields of a schema as a table; those of objects within it are indented beneath. */
function fieldTable(schema: JsonSchema, schemas: Schemas): Html {
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

function typeOf(schema: JsonSchema): string {
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

interface Placed {
  method: string;
  path: string;
  operation: OpenapiOperation;
}

interface Info {
  title: string;
  version: string;
  description: string;
}

/** The reference as one page, made from openapi.json and nothing else. */
export function referencePage(document: OpenapiDocument, info: Info, address: string): string {
  const placed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const subjects = [...Map.groupBy(placed, ({ operation }) => operation.tags[0] ?? '')];
  const { schemas } = document.components;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API ${info.version}</title><link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js" defer></script></head>
<body><nav><h1>${info.title}</h1><p>API ${info.version}</p>
<label>Filter<input id="filter" type="search" autocomplete="off"></label>
${subjects.map(([subject, list]) => navigation(subject, list))}
<p><a href="/api/openapi.json">openapi.json</a></p></nav>
<main><header>${prose(info.description)}</header>
${subjects.map(
  ([subject, list]) =>
    html`<section><h2>${words(subject)}</h2>${list.map((one) => article(one, schemas, address))}</section>`,
)}</main></body></html>`.text;
}

function navigation(subject: string, list: readonly Placed[]): Html {
  return html`<h2>${words(subject)}</h2><ul>${list.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId}"><i class="${method}">${method}</i> ${operation.summary}</a></li>`,
  )}</ul>`;
}

function article({ method, path, operation }: Placed, schemas: Schemas, address: string): Html {
  const body = operation.requestBody?.content['application/json'].schema;
  return html`<article id="${operation.operationId}"><h3>${operation.summary}</h3>
<p class="path"><i class="${method}">${method}</i> <code>${path}</code></p>
${prose(operation.description)}
${parameters(operation)}
${body === undefined ? '' : html`<h4>Body</h4>${fieldTable(body, schemas)}`}
${Object.entries(operation.responses).map(([status, response]) => (Number(status) < 400 ? answer(status, response, schemas) : ''))}
${problems(operation)}
<h4>Example</h4><pre><code>${curl(method, path, operation, address)}</code></pre></article>`;
}

function parameters({ parameters: list }: OpenapiOperation): Html | string {
  if (list.length === 0) return '';
  return html`<h4>Parameters</h4><table>${list.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr><td><code>${name}</code>${required ? html` <b title="required">*</b>` : ''}</td>
<td class="type">${place}, ${typeOf(schema)}</td><td>${prose(description ?? '')}</td></tr>`,
  )}</table>`;
}

function answer(status: string, response: OpenapiOperation['responses'][string], schemas: Schemas): Html {
  const schema: JsonSchema | undefined = Object.values(response.content ?? {})[0]?.schema;
  const events = schema?.oneOf ?? [];
  return html`<h4>Answer ${status}</h4>${prose(response.description)}${
    schema === undefined
      ? ''
      : events.length > 0
        ? events.map((event) => fieldTable(event as JsonSchema, schemas))
        : fieldTable(schema, schemas)
  }`;
}

function problems({ responses }: OpenapiOperation): Html | string {
  const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  if (failures.length === 0) return '';
  return html`<details><summary>Problems</summary><table>${failures.map(
    ([status, { description }]) => html`<tr><td><code>${status}</code></td><td>${prose(description)}</td></tr>`,
  )}</table></details>`;
}

function curl(method: string, path: string, operation: OpenapiOperation, address: string): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${address}${path}'`];
  if (operation.security.length > 0) lines.push(`-H "Authorization: Bearer $BALLAST_TOKEN"`);
  if (operation.requestBody !== undefined) {
    const { schema } = operation.requestBody.content['application/json'];
    lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example(schema))}'`);
  }
  return lines.join(' \\\n  ');
}

function example(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'array') return [];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  if (schema.properties === undefined) return '…';
  const wanted = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).filter(([name]) => wanted.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, example(field as JsonSchema)]));
}

/** `deletedOrganizations` → `Deleted organizations`, `apiTokens` → `API tokens`. */
function words(subject: string): string {
  const spaced = subject.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^api\b/, 'API');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
