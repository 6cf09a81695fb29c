import { type Html, html, prose } from '../../pages/html.ts';
import type { JsonSchema } from '../engine/input/json-schema.ts';
import type { OpenapiDocument, OpenapiOperation } from '../engine/openapi/document.ts';
import { fieldTable, type Schemas, typeOf } from './fields.ts';

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
