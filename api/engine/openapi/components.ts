import { z } from 'zod';
import type { JsonSchema } from '../input/json-schema.ts';

/** Collects the named schemas (`.meta({ id })`) of all operations as components of the document. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** The JSON Schema of what a schema takes in or gives out, its named parts as references. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _,
      $defs,
      ...made
    } = z.toJSONSchema(schema, {
      io,
      // Answers may gain fields between versions: only what clients send is held to be complete.
      override: ({ jsonSchema }) => {
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    });
    for (const [name, definition] of Object.entries($defs ?? {})) this.#add(name, definition);
    return withReferences(made);
  }

  #add(name: string, definition: JsonSchema): void {
    const { $schema: _, id: __, ...rest } = definition;
    const made = withReferences(rest);
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(made)) {
      throw new Error(`Two schemas are named ${name}; give one of them another name in .meta({ id }).`);
    }
    this.schemas[name] = made;
  }
}

function withReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
