import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { documentedPaths } from '../../api/engine/openapi/document.ts';
import type { AnyOperation } from '../../api/engine/operation.ts';
import type { NamedOperation } from '../../api/engine/registry.ts';
import type { Answered } from './running-api.ts';

/** Checks answers against openapi.json, and against the operation's own schema. */
export class DeclaredAnswers {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #document: Record<string, unknown>;
  readonly #paths: ReadonlyMap<string, string>;

  constructor(document: Record<string, unknown>, operations: readonly NamedOperation[]) {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'api', ...document });
    this.#document = document;
    this.#paths = documentedPaths(operations);
  }

  expectAnswer(operation: AnyOperation, answered: Answered): void {
    if (operation.result === undefined) {
      expect(answered.text).toBe('');
      return;
    }
    this.#expectValid(operation, operation.status, 'application/json', answered.body);
    const { $schema, ...body } = answered.body;
    if (!operation.document) expect($schema).toMatch(/^urn:ballast:schema:\w+$/);
    // Zod leaves out what a schema does not know: what is left must be all that was answered.
    if (operation.document) return;
    if (operation.paged === undefined) expect(operation.result.parse(body)).toEqual(body);
    else {
      const { items, nextCursor, ...rest } = body;
      expect(rest).toEqual(operation.paged.beside === undefined ? {} : operation.paged.beside.parse(rest));
      expect(nextCursor === undefined || typeof nextCursor === 'string').toBe(true);
      expect(Array.isArray(items)).toBe(true);
      for (const item of Array.isArray(items) ? items : []) expect(operation.result.parse(item)).toEqual(item);
    }
  }

  expectProblem(operation: AnyOperation, answered: Answered): void {
    expect(answered.headers.get('content-type')).toBe('application/problem+json');
    this.#expectValid(operation, answered.status, 'application/problem+json', answered.body);
  }

  /** The status must be declared for the operation, and the body must be what is declared for it. */
  #expectValid({ url, method }: AnyOperation, status: number, type: string, body: unknown): void {
    const path = this.#paths.get(url) ?? url;
    const steps = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    const declared = steps.reduce<unknown>(
      (at, step) => (at as Record<string, unknown> | undefined)?.[step],
      this.#document,
    );
    if (declared === undefined) throw new Error(`${method} ${url} does not declare ${status} as ${type}.`);
    // Thousands of answers are declared by few schemas, each of which takes milliseconds to compile.
    const { $ref = `#/${steps.map(pointed).join('/')}` } = declared as { $ref?: string };
    const check = this.#ajv.getSchema(`api${$ref}`);
    if (check === undefined) throw new Error(`${$ref} is no schema of openapi.json.`);
    expect(check(body), JSON.stringify(check.errors)).toBe(true);
  }
}

/** A step of a JSON pointer in an address. */
function pointed(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
