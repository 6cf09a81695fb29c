import { z } from 'zod';

/**
 * The answer of a handler for a schema: the values of a row. Times may be dates, and what is optional may be null; the answer has
 * times as text, and what is null is absent.
 */
export type AnswerOf<S> =
  S extends z.ZodOptional<infer Inner>
    ? AnswerOf<Inner> | null | undefined
    : S extends z.ZodISODateTime
      ? Date | string
      : S extends z.ZodArray<infer Item>
        ? AnswerOf<Item>[]
        : S extends z.ZodObject<infer Shape>
          ? Fields<Shape>
          : S extends z.ZodType
            ? z.output<S>
            : never;

type Optional<Shape> = { [Key in keyof Shape]: Shape[Key] extends z.ZodOptional ? Key : never }[keyof Shape];
type Fields<Shape> = { [Key in Exclude<keyof Shape, Optional<Shape>>]: AnswerOf<Shape[Key]> } & {
  [Key in Optional<Shape>]?: AnswerOf<Shape[Key]>;
};

type Encode = (value: never) => unknown;

/**
 * Makes an answer of what a handler answers. It has the fields of its schema and no others, so that a column which a row has
 * besides, such as one that is sealed, is in no answer.
 */
export function encoderOf(schema: z.ZodType): (value: unknown) => unknown {
  return (encoder(schema) ?? ((value: unknown) => value)) as (value: unknown) => unknown;
}

/** Nothing where values are answered as they are. */
function encoder(schema: z.core.$ZodType): Encode | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return optional(encoder(schema.unwrap()));
  if (schema instanceof z.ZodISODateTime)
    return (time: Date | string) => (time instanceof Date ? time.toISOString() : time);
  if (schema instanceof z.ZodArray) return list(encoder(schema.element));
  if (schema instanceof z.ZodObject && isClosed(schema)) return fields(schema.shape);
  return undefined;
}

function isClosed({ def: { catchall } }: z.ZodObject): boolean {
  return catchall === undefined || catchall instanceof z.ZodNever;
}

function optional(encode: Encode | undefined): Encode | undefined {
  if (encode === undefined) return undefined;
  return (value: never) => (value === null || value === undefined ? value : encode(value));
}

function list(encode: Encode | undefined): Encode | undefined {
  if (encode === undefined) return undefined;
  return (values: readonly never[]) => values.map((value) => encode(value));
}

function fields(shape: z.core.$ZodShape): Encode {
  const all = Object.entries(shape).map(([name, schema]) => {
    const takesNull = !(schema instanceof z.ZodOptional) || z.safeParse(schema, null).success;
    return { name, absent: takesNull ? undefined : null, encode: encoder(schema) };
  });
  return (value: Readonly<Record<string, never>>) => {
    const answer: Record<string, unknown> = {};
    for (const { name, absent, encode } of all) {
      const field = value[name];
      if (field === undefined || field === absent) continue;
      answer[name] = encode === undefined ? field : encode(field);
    }
    return answer;
  };
}
